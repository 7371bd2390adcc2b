package dev.vitrine.compat.clients;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * One client on its way through the steps, with topics and groups of its own. Used by one thread.
 *
 * @param name begins the names of its topics and groups
 * @param folder for files that it is given
 */
record Trial(
    MatrixClient client, ClientSession session, Witness witness, String name, Path folder) {
  static Trial of(MatrixClient client, ClientSession session, Witness witness, Path folder) {
    return new Trial(client, session, witness, slug(client), folder);
  }

  /** Its name as topics, groups and files may have it. */
  static String slug(MatrixClient client) {
    return client.name().replaceAll("[^a-zA-Z0-9.]+", "-").replaceAll("^-", "");
  }

  String topic(String purpose) {
    return name + "-" + purpose;
  }

  /**
   * What the client found.
   *
   * @throws Said if it found nothing, because it is refused or has no such command
   */
  List<String> ask(String... command) throws Exception {
    Answer answer = session.call(List.of(command));
    return switch (answer.kind()) {
      case DONE -> answer.lines();
      case REFUSED -> throw new Said(answer.error(), answer.text());
      case NOT_OFFERED -> throw new Said(Cell.NOT_OFFERED, "");
    };
  }

  /** Lets it write, and a stock client of the newest version read what it wrote. */
  void produce(String topic, String codec, boolean idempotent, List<Sample> samples)
      throws Exception {
    Path file = folder.resolve(topic + ".tsv");
    write(file, samples);
    ask("produce", topic, codec, idempotent ? "idempotent" : "plain", file.toString());
    String difference =
        Sample.difference(samples, witness.read(topic), client.writesHeadersAndTimestamps());
    check(difference.isEmpty(), difference);
  }

  private static void write(Path file, List<Sample> samples) throws IOException {
    Files.writeString(file, Sample.lines(samples));
  }

  static void check(boolean holds, Object otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
