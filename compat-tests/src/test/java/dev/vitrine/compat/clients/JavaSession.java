package dev.vitrine.compat.clients;

import java.io.IOException;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * A {@link KafkaClientsDriver} behind a wall of class loaders: what passes is lists of strings, in
 * the form that {@link ProcessSession} has. It works on a thread of its own.
 */
final class JavaSession implements ClientSession {
  private final URLClassLoader loader;
  private final ExecutorService thread;
  private final Function<List<String>, List<String>> driver;

  JavaSession(String version, URLClassLoader loader, Map<String, Object> config) throws Exception {
    this.loader = loader;
    this.thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread worker = new Thread(task, "kafka-clients " + version);
              worker.setDaemon(true);
              // Kafka looks here for the classes that its configuration names.
              worker.setContextClassLoader(loader);
              return worker;
            });
    this.driver = thread.submit(() -> driver(loader, config)).get();
  }

  @SuppressWarnings("unchecked")
  private static Function<List<String>, List<String>> driver(
      ClassLoader loader, Map<String, Object> config) throws ReflectiveOperationException {
    return (Function<List<String>, List<String>>)
        loader
            .loadClass(KafkaClientsDriver.class.getName())
            .getDeclaredConstructor(Map.class)
            .newInstance(config);
  }

  @Override
  public Answer call(List<String> command) throws Exception {
    Future<List<String>> answer = thread.submit(() -> driver.apply(command));
    try {
      List<String> lines = answer.get(ClientMatrix.SECONDS_FOR_A_COMMAND, TimeUnit.SECONDS);
      String end = lines.get(lines.size() - 1);
      if (end.equals("= done")) {
        return Answer.done(lines.subList(0, lines.size() - 1));
      }
      return end.startsWith("= refused ")
          ? Answer.refused(end.substring("= refused ".length()))
          : Answer.notOffered();
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new IOException("no answer to " + command, e);
    } catch (ExecutionException e) {
      throw new IOException(command + ": " + e.getCause(), e.getCause());
    }
  }

  @Override
  public void close() {
    thread.submit(() -> driver.apply(List.of("close")));
    thread.shutdown();
    try {
      if (!thread.awaitTermination(10, TimeUnit.SECONDS)) {
        thread.shutdownNow();
      }
      loader.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
