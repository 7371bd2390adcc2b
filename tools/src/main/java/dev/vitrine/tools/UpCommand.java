package dev.vitrine.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** `vitrine up`: the whole cluster, from nothing or from what an earlier `up` left. */
@Command(
    name = "up",
    description =
        "Starts a cluster: formats what is new, starts its nodes, waits until all are ready.",
    usageHelpAutoWidth = true,
    footer = {
      "",
      "Without --detach it stays, and Ctrl-C stops the cluster. In a folder that has",
      "a cluster it starts the same one again. Each node is broker and controller:",
      "node i takes clients on PORT+i-1, its controller listens on PORT+1000+i-1.",
    })
final class UpCommand implements Callable<Integer> {
  private static final int NODES = 3;
  private static final int PORT = 9092;

  @ParentCommand private Vitrine vitrine;
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Option(names = "--nodes", paramLabel = "N", description = "How many nodes; 3 if not given.")
  private Integer nodes;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Client port of node 1; 9092 if not given.")
  private Integer port;

  @Option(names = "--detach", description = "Return once the nodes are ready; they go on running.")
  private boolean detach;

  @Option(names = "--no-wait", description = "Return at once; the nodes go on starting.")
  private boolean noWait;

  @Option(
      names = "--live",
      paramLabel = "PORT",
      description = "Serve the live page (not there yet).")
  private Integer live;

  @Option(names = "--no-live", description = "Do not serve the live page.")
  private boolean noLive;

  @Option(
      names = "--config",
      paramLabel = "key=value",
      arity = "1..*",
      description = "Kafka configuration for every node's server.properties.")
  private Map<String, String> config = new LinkedHashMap<>();

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    if (live != null && noLive) {
      throw CommandFailure.usage("--live and --no-live contradict each other");
    }
    if (live != null) {
      spec.commandLine()
          .getErr()
          .println("vitrine: the live page has not landed yet; --live is ignored");
    }
    Installation installation = vitrine.installation();
    Supervisor supervisor = prepare(installation);
    List<NodeDirectory> all = supervisor.nodes();
    installation.rememberLast(data.directory().path());
    Foreground foreground = detach || noWait ? null : new Foreground(supervisor, out);
    out.printf("Starting %s in %s%n", Supervisor.names(all), data.directory().path());
    out.flush();
    try {
      all.forEach(supervisor::start);
      if (!noWait) {
        supervisor.awaitReady(all, all, progress(out, all.size()));
      }
    } catch (CommandFailure failure) {
      supervisor.stop(all);
      throw failure;
    }
    for (NodeDirectory node : all) {
      out.println(NodeStatus.of(supervisor.plan(), node, !noWait).line());
    }
    out.println("Bootstrap servers: " + supervisor.plan().bootstrapServers());
    out.flush();
    return foreground == null ? 0 : foreground.watch();
  }

  private Supervisor prepare(Installation installation) throws IOException {
    ClusterDirectory directory = data.directory();
    boolean exists = directory.exists();
    ClusterPlan plan;
    if (exists) {
      plan = directory.read();
      requireSame("--nodes", nodes, plan.nodes());
      requireSame("--port", port, plan.port());
      config.keySet().forEach(ClusterPlan::refuseOwnKey);
    } else {
      plan = new ClusterPlan(nodes == null ? NODES : nodes, port == null ? PORT : port, config);
    }
    Supervisor supervisor = new Supervisor(installation, directory, plan);
    List<NodeDirectory> running = supervisor.running();
    if (!running.isEmpty()) {
      throw CommandFailure.failed(
          "the cluster in %s already runs (%s); `vitrine down` stops it, `vitrine start ID` starts one node",
          directory.path(), Supervisor.names(running));
    }
    supervisor.requirePorts(supervisor.nodes());
    if (!exists) {
      directory.create(plan, vitrine.format());
    } else {
      for (NodeDirectory node : supervisor.nodes()) {
        // An earlier version did not write these.
        Map<String, String> keys = ClusterPlan.faults(node);
        keys.keySet().removeIf(Configuration.read(node.configuration())::containsKey);
        keys.putAll(config);
        if (!keys.isEmpty()) {
          Configuration.set(node.configuration(), keys);
        }
      }
    }
    return supervisor;
  }

  private void requireSame(String option, Integer asked, int present) {
    if (asked != null && asked != present) {
      throw CommandFailure.usage(
          "%s %d contradicts the cluster in %s, which has %d; leave it out, or use another --data",
          option, asked, data.directory().path(), present);
    }
  }

  /** A counter that is overwritten in place, for a person only. */
  private static Supervisor.Progress progress(PrintWriter out, int all) {
    if (System.console() == null) {
      return ready -> {};
    }
    return ready -> {
      out.printf("%d of %d nodes ready%s", ready, all, ready == all ? "\r\u001b[K" : "\r");
      out.flush();
    };
  }
}
