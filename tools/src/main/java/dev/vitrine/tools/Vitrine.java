package dev.vitrine.tools;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The command line: `vitrine COMMAND ...`. Each command is one class; a failure is one line on
 * stderr, never a stack trace.
 */
@Command(
    name = "vitrine",
    description = "A Kafka cluster in a glass case: real brokers, on this machine.",
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = Vitrine.Version.class,
    usageHelpAutoWidth = true,
    subcommands = {
      UpCommand.class,
      DownCommand.class,
      StatusCommand.class,
      StopCommand.class,
      KillCommand.class,
      PowerCutCommand.class,
      PauseCommand.class,
      ResumeCommand.class,
      SlowCommand.class,
      CutCommand.class,
      HealCommand.class,
      FaultCommand.class,
      StartCommand.class,
      NodeCommand.class,
      FormatCommand.class,
      WarmUpCommand.class,
    },
    footer = {
      "",
      "Besides, kafka-topics, kafka-console-producer and every other kafka-*:",
      "Apache Kafka's own tools. --bootstrap-server is filled in for the running",
      "cluster when it is missing (--data DIR in front of all else chooses another).",
      "",
      "Exit codes: 0 done, 1 failed, 2 wrong usage.",
      "JAVA_HOME chooses the JDK; VITRINE_NODE_OPTS adds JVM options to each node.",
    })
public final class Vitrine implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this.")
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  private boolean version;

  private final Supplier<Installation> installation;
  private final ClusterDirectory.Format format;

  Vitrine(Supplier<Installation> installation, ClusterDirectory.Format format) {
    this.installation = installation;
    this.format = format;
  }

  public static void main(String[] args) {
    Vitrine vitrine = new Vitrine(Installation::fromScript, BrokerFormat::format);
    System.exit(vitrine.commandLine().execute(args));
  }

  Installation installation() {
    return installation.get();
  }

  ClusterDirectory.Format format() {
    return format;
  }

  CommandLine commandLine() {
    return new CommandLine(this)
        .setExecutionExceptionHandler(
            (failure, commandLine, parsed) -> {
              if (failure instanceof CommandFailure expected) {
                commandLine.getErr().println("vitrine: " + expected.getMessage());
                return expected.exitCode();
              }
              throw failure;
            });
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which command?");
  }

  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      Properties properties = new Properties();
      try (InputStream in = Vitrine.class.getResourceAsStream("version.properties")) {
        properties.load(in);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return new String[] {
        "vitrine %s, speaks as Apache Kafka %s; Java %s"
            .formatted(
                properties.getProperty("version"),
                properties.getProperty("kafka.version"),
                System.getProperty("java.version"))
      };
    }
  }
}
