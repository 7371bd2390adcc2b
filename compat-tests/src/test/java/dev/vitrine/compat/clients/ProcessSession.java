package dev.vitrine.compat.clients;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A client in a process of its own: a line to its standard input is a command, its words with tabs
 * between them; the answer is lines on its standard output that begin with {@code "| "}, and then
 * one of {@code "= done"}, {@code "= refused WHY"} and {@code "= not offered"}. What else it prints
 * goes to a file.
 */
final class ProcessSession implements ClientSession {
  private final Process process;
  private final Writer in;
  private final BufferedReader out;
  private final Path log;

  /**
   * @param log gets what it prints to its standard error
   */
  ProcessSession(List<String> command, Path log) throws IOException {
    this.log = log;
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectError(log.toFile());
    this.process = builder.start();
    Runtime.getRuntime().addShutdownHook(onExit());
    this.in = process.outputWriter(StandardCharsets.UTF_8);
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  private Thread onExit() {
    return new Thread(process::destroyForcibly, "end a client");
  }

  @Override
  public Answer call(List<String> command) throws Exception {
    in.write(String.join("\t", command) + "\n");
    in.flush();
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    Thread reader = new Thread(() -> complete(answer), "answers of " + log.getFileName());
    reader.setDaemon(true);
    reader.start();
    try {
      return answer.get(ClientMatrix.SECONDS_FOR_A_COMMAND, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      process.destroyForcibly();
      throw new IOException("no answer to " + command + "; see " + log, e);
    } catch (ExecutionException e) {
      throw new IOException(command + ": " + e.getCause() + "; see " + log, e.getCause());
    }
  }

  private void complete(CompletableFuture<Answer> answer) {
    try {
      answer.complete(read());
    } catch (IOException | RuntimeException e) {
      answer.completeExceptionally(e);
    }
  }

  private Answer read() throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith("| ")) {
        lines.add(line.substring(2));
      } else if (line.equals("= done")) {
        return Answer.done(lines);
      } else if (line.startsWith("= refused ")) {
        return Answer.refused(line.substring("= refused ".length()));
      } else if (line.equals("= not offered")) {
        return Answer.notOffered();
      } else {
        throw new IOException("not an answer: " + line);
      }
    }
    throw new IOException("the client has ended");
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
