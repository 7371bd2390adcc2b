package dev.vitrine.broker.net;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Catches the log lines of our own classes, and keeps them off the console. */
public final class Logged implements AutoCloseable {
  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger("dev.vitrine");
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent e) {
          if (e.getLevel().isGreaterOrEqual(Level.WARN)) {
            events.add(e);
          }
        }
      };

  public Logged() {
    appender.setContext(logger.getLoggerContext());
    appender.start();
    logger.addAppender(appender);
    logger.setAdditive(false);
  }

  /** Level and text of each line of WARN and above. */
  public List<String> lines() {
    return events.stream().map(e -> e.getLevel() + " " + e.getFormattedMessage()).toList();
  }

  public void clear() {
    events.clear();
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
    logger.setAdditive(true);
  }
}
