package dev.vitrine.compat.sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/**
 * The log lines of the simulated cluster: printed with simulated time and place if wanted, and a
 * line of level ERROR ends the run, for the code says with it that it met what cannot be.
 */
final class LogLines extends AppenderBase<ILoggingEvent> {
  private final ClusterSim sim;
  private final boolean print;
  private String error;

  private LogLines(ClusterSim sim, boolean print) {
    this.sim = sim;
    this.print = print;
  }

  static LogLines of(ClusterSim sim, boolean print) {
    Logger logger = (Logger) LoggerFactory.getLogger("dev.vitrine");
    logger.detachAndStopAllAppenders();
    logger.setLevel(print ? Level.DEBUG : Level.ERROR);
    logger.setAdditive(false);
    LogLines lines = new LogLines(sim, print);
    lines.setContext(logger.getLoggerContext());
    lines.start();
    logger.addAppender(lines);
    return lines;
  }

  void end() {
    Logger logger = (Logger) LoggerFactory.getLogger("dev.vitrine");
    logger.detachAppender(this);
    logger.setAdditive(true);
    logger.setLevel(null);
    stop();
  }

  @Override
  protected void append(ILoggingEvent e) {
    String line = e.getLevel() + " " + e.getFormattedMessage();
    String trace =
        e.getThrowableProxy() == null
            ? ""
            : "\n" + ThrowableProxyUtil.asString(e.getThrowableProxy());
    if (print) {
      print(line + trace);
    }
    if (e.getLevel() == Level.ERROR && error == null) {
      error = sim.place() + " logs " + line + trace;
    }
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
}
