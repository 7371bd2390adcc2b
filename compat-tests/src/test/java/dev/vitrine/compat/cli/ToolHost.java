package dev.vitrine.compat.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.internals.Exit;
import org.slf4j.LoggerFactory;

/**
 * Runs Kafka's tools in this JVM, several at once: a JVM for each would take longer than what they
 * do. As long as it is open, standard streams, log lines and {@code Exit} are those of the tool
 * whose thread uses them. It never lets a tool end this JVM; one that calls System.exit itself
 * can't be run here.
 */
final class ToolHost implements AutoCloseable {
  private static final Duration FOR_HOOKS = Duration.ofSeconds(20);

  private final InputStream in = System.in;
  private final PrintStream out = System.out;
  private final PrintStream err = System.err;
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private final Level level = root.getLevel();
  private final Map<String, Appender<ILoggingEvent>> appenders = new LinkedHashMap<>();
  private final LogLines logLines = new LogLines();

  ToolHost() {
    System.setIn(new RoutedIn());
    System.setOut(new PrintStream(new Routed(false, out), true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(new Routed(true, err), true, StandardCharsets.UTF_8));
    Exit.setExitProcedure(ToolHost::exit);
    Exit.setHaltProcedure(ToolHost::exit);
    Exit.setShutdownHookAdder((name, hook) -> ToolRun.current().addHook(hook));
    for (Iterator<Appender<ILoggingEvent>> all = root.iteratorForAppenders(); all.hasNext(); ) {
      Appender<ILoggingEvent> appender = all.next();
      appenders.put(appender.getName(), appender);
    }
    appenders.keySet().forEach(root::detachAppender);
    logLines.setContext(root.getLoggerContext());
    logLines.start();
    root.addAppender(logLines);
    root.setLevel(Level.WARN);
  }

  @Override
  public void close() {
    System.setIn(in);
    System.setOut(out);
    System.setErr(err);
    Exit.resetExitProcedure();
    Exit.resetHaltProcedure();
    Exit.resetShutdownHookAdder();
    root.detachAppender(logLines);
    appenders.values().forEach(root::addAppender);
    root.setLevel(level);
  }

  /** Starts it; the run has ended once the thread has. */
  Thread start(ToolRun run, String mainClass, List<String> args) {
    Thread thread = new Thread(() -> main(run, mainClass, args), mainClass);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void main(ToolRun run, String mainClass, List<String> args) {
    run.adopt();
    int code = 0;
    try {
      ClassLoader tools = new FreshTools();
      Thread.currentThread().setContextClassLoader(tools);
      tools
          .loadClass(mainClass)
          .getMethod("main", String[].class)
          .invoke(null, (Object) args.toArray(String[]::new));
    } catch (InvocationTargetException e) {
      code = endOf(e.getCause(), mainClass);
    } catch (ReflectiveOperationException e) {
      code = endOf(e, mainClass);
    }
    end(run, code);
  }

  private static int endOf(Throwable failure, String mainClass) {
    if (failure instanceof ExitSignal) {
      return ((ExitSignal) failure).code;
    }
    System.err.print("Exception in thread \"main\" "); // as the JVM says it
    failure.printStackTrace();
    return 1;
  }

  private static void end(ToolRun run, int code) {
    for (Runnable hook : run.takeHooks()) {
      Thread thread = new Thread(hook, "shutdown hook");
      thread.setDaemon(true);
      thread.start();
      try {
        thread.join(FOR_HOOKS.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    run.exit(code);
  }

  /** Where the tool says exit it goes no further; whoever catches that is not heard any more. */
  private static void exit(int code, String message) {
    ToolRun run = ToolRun.current();
    if (run == null) {
      throw new IllegalStateException("exit(" + code + ") outside of a tool");
    }
    if (!run.hasEnded()) {
      end(run, code);
    }
    throw new ExitSignal(code);
  }

  private static final class ExitSignal extends Error {
    private static final long serialVersionUID = 1;
    private final int code;

    ExitSignal(int code) {
      super("exit " + code, null, false, false);
      this.code = code;
    }
  }

  private static final class Routed extends OutputStream {
    private final boolean error;
    private final PrintStream original;

    Routed(boolean error, PrintStream original) {
      this.error = error;
      this.original = original;
    }

    @Override
    public void write(int b) {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      ToolRun run = ToolRun.current();
      if (run == null) {
        original.write(bytes, offset, length);
        original.flush();
      } else {
        run.print(error, bytes, offset, length);
      }
    }
  }

  private static final class RoutedIn extends InputStream {
    @Override
    public int read() throws IOException {
      return ToolRun.current().in().read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return ToolRun.current().in().read(bytes, offset, length);
    }

    @Override
    public int available() throws IOException {
      return ToolRun.current().in().available();
    }
  }

  /**
   * What Kafka's tools log goes to standard error, errors and warnings. Which warnings a client
   * gives of connections and metadata is a matter of time, so these are left out.
   */
  private static final class LogLines extends AppenderBase<ILoggingEvent> {
    @Override
    protected void append(ILoggingEvent event) {
      ToolRun run = ToolRun.current();
      boolean ofClient = event.getLoggerName().startsWith("org.apache.kafka.clients.");
      if (run == null || ofClient && !event.getLevel().isGreaterOrEqual(Level.ERROR)) {
        return;
      }
      run.log(
          event.getLevel()
              + " "
              + event.getFormattedMessage()
              + " ("
              + event.getLoggerName()
              + ")");
      for (IThrowableProxy t = event.getThrowableProxy(); t != null; t = t.getCause()) {
        run.log(t.getClassName() + (t.getMessage() == null ? "" : ": " + t.getMessage()));
      }
    }
  }
}
