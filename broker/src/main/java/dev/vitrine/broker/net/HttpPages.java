package dev.vitrine.broker.net;

import java.util.List;
import java.util.function.Consumer;

/** Several services behind one listener: the first that knows the path answers. */
public record HttpPages(List<HttpService> services) implements HttpService {
  @Override
  public void answer(HttpQuestion question, Consumer<HttpAnswer> answer) {
    ask(0, question, answer);
  }

  private void ask(int i, HttpQuestion question, Consumer<HttpAnswer> answer) {
    if (i == services.size()) {
      answer.accept(null);
      return;
    }
    services
        .get(i)
        .answer(
            question,
            known -> {
              if (known == null) {
                ask(i + 1, question, answer);
              } else {
                answer.accept(known);
              }
            });
  }
}
