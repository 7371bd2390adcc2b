package dev.vitrine.compat.clients;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Debian's kcat, which is librdkafka on the command line: a run of it for each command. */
final class KcatSession implements ClientSession {
  private static final Pattern BROKER = Pattern.compile("broker (\\d+) at ");
  private static final Pattern TOPIC = Pattern.compile("topic \"([^\"]+)\" with");
  private static final Pattern PARTITION =
      Pattern.compile("partition (\\d+), leader \\d+, replicas: ([0-9,]+), isrs");
  private static final Pattern OFFSET = Pattern.compile("offset (-?\\d+)");
  private final String bootstrap;
  private final Path log;

  KcatSession(String bootstrap, Path log) {
    this.bootstrap = bootstrap;
    this.log = log;
  }

  @Override
  public Answer call(List<String> command) throws Exception {
    try {
      return switch (command.get(0)) {
        case "connect" -> found(BROKER, kcat("", "-L", "-t", "nothing"), 1);
        case "list-topics" -> found(TOPIC, kcat("", "-L"), 1);
        case "describe-topic" -> partitions(kcat("", "-L", "-t", command.get(1)));
        case "produce" -> produce(command);
        case "consume" -> consume(command.get(1), command.get(2));
        case "consume-group" -> consumeInGroup(command);
        case "offsets" -> offsets(command.get(1));
        case "offset-by-time" ->
            found(OFFSET, kcat("", "-Q", "-t", command.get(1) + ":0:" + command.get(2)), 1);
        default -> Answer.notOffered();
      };
    } catch (Refusal e) {
      return Answer.refused(e.getMessage());
    }
  }

  private static Answer found(Pattern pattern, String text, int group) {
    return Answer.done(
        pattern.matcher(text).results().map(match -> match.group(group)).sorted().toList());
  }

  private static Answer partitions(String text) {
    return Answer.done(
        PARTITION.matcher(text).results().map(KcatSession::partition).sorted().toList());
  }

  private static String partition(MatchResult match) {
    return match.group(1)
        + " "
        + Pattern.compile(",")
            .splitAsStream(match.group(2))
            .sorted()
            .collect(Collectors.joining(","));
  }

  private Answer produce(List<String> command) throws Exception {
    StringBuilder input = new StringBuilder();
    for (String line : Files.readAllLines(Path.of(command.get(4)))) {
      String[] parts = line.split("\t");
      input.append(parts[0].equals("~") ? "" : parts[0]).append('\t');
      input.append(parts[1].equals("~") ? "" : parts[1]).append('\n');
    }
    List<String> args =
        new ArrayList<>(List.of("-P", "-t", command.get(1), "-p", "0", "-z", command.get(2)));
    args.addAll(List.of("-K", "\t", "-Z", "-H", "n=0", "-H", "e="));
    if (command.get(3).equals("idempotent")) {
      args.addAll(List.of("-X", "enable.idempotence=true", "-X", "batch.size=500"));
    }
    kcat(input.toString(), args.toArray(String[]::new));
    return Answer.done(List.of());
  }

  private Answer consume(String topic, String count) throws Exception {
    String format = "%k\\t%s\\t%h\\t%T\\n";
    String text =
        kcat("", "-C", "-t", topic, "-p", "0", "-o", "beginning", "-c", count, "-Z", "-f", format);
    return Answer.done(
        text.lines()
            .map(line -> line.replaceAll("(^|\t)NULL(?=\t)", "$1~").replace(",e=", ";e="))
            .toList());
  }

  private Answer consumeInGroup(List<String> command) throws Exception {
    if (!command.get(4).equals("classic")) {
      return Answer.notOffered();
    }
    String[] args = {
      "-G",
      command.get(1),
      "-c",
      command.get(3),
      "-X",
      "auto.offset.reset=earliest",
      "-f",
      "%s\\n",
      command.get(2)
    };
    return Answer.done(kcat("", args).lines().toList());
  }

  private Answer offsets(String topic) throws Exception {
    String text = kcat("", "-Q", "-t", topic + ":0:-2") + kcat("", "-Q", "-t", topic + ":0:-1");
    return Answer.done(
        List.of(
            OFFSET
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.joining(" "))));
  }

  private String kcat(String input, String... args) throws Exception {
    List<String> command = new ArrayList<>(List.of("kcat", "-b", bootstrap, "-q"));
    command.addAll(List.of(args));
    Path in = log.resolveSibling(log.getFileName() + ".in");
    Path out = log.resolveSibling(log.getFileName() + ".out");
    Files.writeString(in, input);
    Process process =
        new ProcessBuilder(command)
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    if (!process.waitFor(ClientMatrix.SECONDS_FOR_A_COMMAND, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("no end of " + command + "; see " + log);
    }
    if (process.exitValue() != 0) {
      throw new Refusal("exit code " + process.exitValue() + ": see " + log);
    }
    return Files.readString(out);
  }

  /** kcat ended with an error. */
  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    Refusal(String message) {
      super(message);
    }
  }

  /** Each run ends by itself. */
  @Override
  public void close() {}
}
