package dev.vitrine.compat.chaos;

import dev.vitrine.compat.Await;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Writes a history down as it happens, in memory and in a file. All threads of a run write to it;
 * its lock is what gives their events one order.
 */
public final class Recorder implements AutoCloseable {
  private final long start = System.nanoTime();
  private final List<Timed> events = new ArrayList<>();
  private final BufferedWriter file;

  public Recorder(Path path) throws IOException {
    Files.createDirectories(path.getParent());
    this.file = Files.newBufferedWriter(path);
  }

  /** The number of the event, for those that answer it. */
  public synchronized long write(Event event) {
    long nanos = System.nanoTime() - start;
    Timed timed = new Timed(TimeUnit.NANOSECONDS.toMicros(nanos), event);
    events.add(timed);
    try {
      file.write(EventLine.write(timed));
      file.newLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return events.size() - 1;
  }

  /**
   * Waits for what must come true once nothing is broken any more, and writes down what it took.
   */
  public void await(String what, Callable<Boolean> condition) throws Exception {
    long begun = System.nanoTime();
    try {
      Await.until(what, condition);
      write(new Event.Recovered(what, msSince(begun)));
    } catch (AssertionError e) {
      write(new Event.Stuck(what, msSince(begun)));
      throw e;
    }
  }

  private static long msSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
  }

  public synchronized RunHistory history() {
    return new RunHistory(events);
  }

  @Override
  public synchronized void close() throws IOException {
    file.close();
  }
}
