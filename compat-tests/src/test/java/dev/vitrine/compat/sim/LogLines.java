package dev.vitrine.compat.sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/**
 * The log lines of one simulated cluster: printed with simulated time and place if wanted, and a
 * line of level ERROR ends the run, for the code says with it that it met what cannot be. Each
 * thread runs one cluster at a time, and its lines belong to that.
 */
final class LogLines {
  private static final ThreadLocal<LogLines> OF_THREAD = new ThreadLocal<>();

  private final ClusterSim sim;
  private final boolean print;
  private String error;

  private LogLines(ClusterSim sim, boolean print) {
    this.sim = sim;
    this.print = print;
  }

  static LogLines of(ClusterSim sim, boolean print) {
    Dispatcher.install(print ? Level.DEBUG : Level.ERROR);
    LogLines lines = new LogLines(sim, print);
    OF_THREAD.set(lines);
    return lines;
  }

  void end() {
    OF_THREAD.remove();
  }

  private void logged(ILoggingEvent e) {
    String line = e.getLevel() + " " + e.getFormattedMessage();
    String trace =
        e.getThrowableProxy() == null
            ? ""
            : "\n" + ThrowableProxyUtil.asString(e.getThrowableProxy());
    if (print) {
      print(line + trace);
    }
    if (e.getLevel() == Level.ERROR && error == null && !sim.isOnBadDisk()) {
      error = sim.place() + " logs " + line + trace;
    }
  }

  boolean prints() {
    return print;
  }

  void say(String what) {
    if (print) {
      print(what);
    }
  }

  private void print(String line) {
    System.out.printf("%9.3f %-5s %s%n", sim.world.elapsedMicros() / 1000.0, sim.place(), line);
  }

  /** The first line of level ERROR, or null. */
  String error() {
    return error;
  }

  /** Hears of all lines and hands each to the cluster of its thread. */
  private static final class Dispatcher extends AppenderBase<ILoggingEvent> {
    private static Dispatcher installed;

    static synchronized void install(Level level) {
      Logger logger = (Logger) LoggerFactory.getLogger("dev.vitrine");
      logger.setLevel(level);
      if (installed == null) {
        logger.detachAndStopAllAppenders();
        logger.setAdditive(false);
        installed = new Dispatcher();
        installed.setContext(logger.getLoggerContext());
        installed.start();
        logger.addAppender(installed);
      }
    }

    @Override
    public void doAppend(ILoggingEvent e) {
      LogLines lines = OF_THREAD.get();
      if (lines != null) {
        lines.logged(e);
      }
    }

    @Override
    protected void append(ILoggingEvent e) {
      throw new IllegalStateException("not asked");
    }
  }
}
