package dev.vitrine.broker;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import dev.vitrine.broker.api.Loggers;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/**
 * The loggers of logback, with log4j's names of levels. Logback knows no FATAL, and nothing here
 * logs at it: that is off. Where the log lines go elsewhere there are none. Any thread; logback
 * keeps what it needs.
 */
final class LogbackLoggers implements Loggers {
  private static final String FATAL = "FATAL";

  private final ILoggerFactory factory = LoggerFactory.getILoggerFactory();

  @Override
  public SortedMap<String, String> levels() {
    SortedMap<String, String> levels = new TreeMap<>();
    if (factory instanceof LoggerContext) {
      for (Logger logger : ((LoggerContext) factory).getLoggerList()) {
        Level level = logger.getEffectiveLevel();
        boolean root = logger.getName().equals(org.slf4j.Logger.ROOT_LOGGER_NAME);
        levels.put(root ? ROOT : logger.getName(), level == Level.OFF ? FATAL : level.toString());
      }
    }
    return levels;
  }

  @Override
  public void set(String name, String level) {
    logger(name).setLevel(level.equals(FATAL) ? Level.OFF : Level.toLevel(level));
  }

  @Override
  public void unset(String name) {
    logger(name).setLevel(null);
  }

  private Logger logger(String name) {
    return ((LoggerContext) factory)
        .getLogger(name.equals(ROOT) ? org.slf4j.Logger.ROOT_LOGGER_NAME : name);
  }
}
