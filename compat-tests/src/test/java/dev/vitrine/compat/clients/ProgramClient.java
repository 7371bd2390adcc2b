package dev.vitrine.compat.clients;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A client that is driven by a program in another language, from {@code src/test/clients}.
 *
 * @param interpreter the program's, with its options
 * @param script the program, which gets the bootstrap servers
 * @param missingPart why it can't run, if so
 */
record ProgramClient(
    String name,
    Supplier<List<String>> interpreter,
    Supplier<Path> script,
    Supplier<Optional<String>> missingPart)
    implements MatrixClient {
  @Override
  public Optional<String> missing() {
    return missingPart.get();
  }

  @Override
  public ClientSession open(String bootstrap) throws Exception {
    List<String> command = new ArrayList<>(interpreter.get());
    command.add(script.get().toString());
    command.add(bootstrap);
    return new ProcessSession(command, ClientMatrix.log(this));
  }
}
