package dev.vitrine.compat.clients;

import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/**
 * Makes a kafka-clients of any version do the commands of the matrix. It is loaded anew beside each
 * version, so it may only use what all of them have in the same form, the rest by {@link
 * Reflected}: a class or a method that is missing means that the version does not offer the thing.
 */
public final class KafkaClientsDriver implements Function<List<String>, List<String>> {
  private interface Command {
    List<String> run(List<String> words) throws Exception;
  }

  private final KafkaClientsAdmin admin;
  private final KafkaClientsRecords records;
  private final Map<String, Command> commands;

  /**
   * @param config of all clients
   */
  public KafkaClientsDriver(Map<String, Object> config) {
    admin = new KafkaClientsAdmin(config);
    records = new KafkaClientsRecords(config);
    commands =
        Map.ofEntries(
            Map.entry("connect", words -> admin.brokers()),
            Map.entry("create-topic", words -> admin.createTopic(words.get(1), words.get(2))),
            Map.entry("list-topics", words -> admin.topics()),
            Map.entry("describe-topic", words -> admin.describeTopic(words.get(1))),
            Map.entry("describe-configs", words -> admin.describeConfigs(words.get(1))),
            Map.entry(
                "alter-config",
                words -> admin.alterConfig(words.get(1), words.get(2), words.get(3))),
            Map.entry(
                "add-partitions",
                words -> admin.addPartitions(words.get(1), Integer.parseInt(words.get(2)))),
            Map.entry("list-groups", words -> admin.groups()),
            Map.entry("describe-group", words -> admin.describeGroup(words.get(1))),
            Map.entry("committed", words -> admin.committed(words.get(1))),
            Map.entry(
                "delete-records",
                words -> admin.deleteRecords(words.get(1), Long.parseLong(words.get(2)))),
            Map.entry("delete-group", words -> admin.deleteGroup(words.get(1))),
            Map.entry("delete-topic", words -> admin.deleteTopic(words.get(1))),
            Map.entry(
                "produce",
                words ->
                    records.produce(
                        words.get(1),
                        words.get(2),
                        words.get(3).equals("idempotent"),
                        Files.readAllLines(Path.of(words.get(4))))),
            Map.entry(
                "consume", words -> records.consume(words.get(1), Integer.parseInt(words.get(2)))),
            Map.entry(
                "consume-group",
                words ->
                    records.consumeInGroup(
                        words.get(1), words.get(2), Integer.parseInt(words.get(3)), words.get(4))),
            Map.entry("offsets", words -> records.offsets(words.get(1))),
            Map.entry(
                "offset-by-time",
                words -> records.offsetByTime(words.get(1), Long.parseLong(words.get(2)))),
            Map.entry("close", words -> close()));
  }

  @Override
  public List<String> apply(List<String> words) {
    Command command = commands.get(words.get(0));
    List<String> answer = new ArrayList<>();
    try {
      if (command == null) {
        answer.add("= not offered");
      } else {
        answer.addAll(command.run(words));
        answer.add("= done");
      }
    } catch (LinkageError | NoSuchMethodException | ClassNotFoundException e) {
      answer.add("= not offered");
    } catch (Exception e) {
      Throwable cause = e;
      while ((cause instanceof ExecutionException || cause instanceof InvocationTargetException)
          && cause.getCause() != null) {
        cause = cause.getCause();
      }
      answer.add(
          cause instanceof LinkageError
              ? "= not offered"
              : "= refused " + cause.getClass().getSimpleName() + ": " + cause.getMessage());
    }
    return answer;
  }

  private List<String> close() {
    admin.close();
    return List.of();
  }
}
