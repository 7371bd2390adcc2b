package dev.vitrine.tools;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** `vitrine fault ID --api API ...`: lets requests go wrong. */
@Command(
    name = "fault",
    description =
        "Lets requests of one API go wrong at one broker; without options, lists what does.",
    usageHelpAutoWidth = true,
    footer = {
      "",
      "It happens to whole requests: to one that names the topic or group among others,",
      "as a whole. It ends after --times, with --clear, and with the node's process.",
      "Example: fault 1 --api PRODUCE --topic t --error NOT_LEADER_OR_FOLLOWER --times 3",
    })
final class FaultCommand extends NodeAction {
  @Option(names = "--api", paramLabel = "API", description = "Such as PRODUCE.")
  private String api;

  @Option(names = "--error", paramLabel = "ERROR", description = "Answer with this error.")
  private String error;

  @Option(names = "--delay", paramLabel = "MS", description = "Begin with it so much later.")
  private Long delayMs;

  @Option(names = "--drop", description = "Never answer, and do not do it.")
  private boolean drop;

  @Option(names = "--drop-answer", description = "Do it, but never answer.")
  private boolean dropAnswer;

  @Option(names = "--times", paramLabel = "N", description = "Only so often; else until --clear.")
  private Integer times;

  @Option(names = "--topic", paramLabel = "TOPIC", description = "Only requests that name it.")
  private String topic;

  @Option(names = "--group", paramLabel = "GROUP", description = "Only requests that name it.")
  private String group;

  @Option(names = "--client", paramLabel = "CLIENT-ID", description = "Only of this client.id.")
  private String client;

  @Option(names = "--clear", description = "No more faults; with --api, of this API.")
  private boolean clear;

  @Override
  String act(Supervisor supervisor, NodeDirectory node) {
    if (drop && dropAnswer) {
      throw CommandFailure.usage("--drop and --drop-answer exclude each other");
    }
    Map<String, String> parameters = new LinkedHashMap<>();
    put(parameters, "api", api);
    put(parameters, "error", error);
    put(parameters, "delay", delayMs);
    put(parameters, "drop", drop ? "request" : dropAnswer ? "answer" : null);
    put(parameters, "times", times);
    put(parameters, "topic", topic);
    put(parameters, "group", group);
    put(parameters, "client", client);
    Faults faults = new Faults(supervisor);
    String now;
    if (clear) {
      now = faults.tell(node, "/faults/api/clear", parameters);
    } else if (parameters.isEmpty()) {
      now = faults.list(node);
    } else if (api == null) {
      throw CommandFailure.usage("--api is missing");
    } else {
      now = faults.tell(node, "/faults/api", parameters);
    }
    return now.isEmpty() ? "Node " + node.id() + " has no faults." : now;
  }

  private static void put(Map<String, String> parameters, String name, Object value) {
    if (value != null) {
      parameters.put(name, value.toString());
    }
  }
}
