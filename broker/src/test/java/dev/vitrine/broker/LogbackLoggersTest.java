package dev.vitrine.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.api.Loggers;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Levels that are set count for who logs. */
class LogbackLoggersTest {
  private static final String ABOVE = "loggers.test";

  private final Loggers loggers = new LogbackLoggers();
  private final Logger logger = LoggerFactory.getLogger(ABOVE + ".One");

  @Test
  void levelsAreSetAndUnset() {
    loggers.set(ABOVE, "DEBUG");
    assertTrue(logger.isDebugEnabled());
    assertEquals("DEBUG", loggers.levels().get(ABOVE + ".One"));
    loggers.set(ABOVE + ".One", "ERROR");
    assertFalse(logger.isWarnEnabled());
    loggers.unset(ABOVE + ".One");
    assertTrue(logger.isDebugEnabled());
    loggers.set(ABOVE, "FATAL");
    assertFalse(logger.isErrorEnabled());
    assertEquals("FATAL", loggers.levels().get(ABOVE));
    loggers.unset(ABOVE);
    String root = loggers.levels().get(Loggers.ROOT);
    assertEquals(root, loggers.levels().get(ABOVE));
  }

  @Test
  void theRootIsNamedAsKafkaNamesIt() {
    String before = loggers.levels().get(Loggers.ROOT);
    loggers.set(Loggers.ROOT, "TRACE");
    assertTrue(logger.isTraceEnabled());
    loggers.set(Loggers.ROOT, before);
    assertFalse(loggers.levels().containsKey("ROOT"));
  }
}
