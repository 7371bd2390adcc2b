package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Item;
import dev.vitrine.compat.chaos.Event.Polled;
import dev.vitrine.compat.chaos.Event.Positioned;
import java.util.function.Consumer;

/** A reader that did not move was given an offset before or at one it had been given already. */
final class PollsGoingBack implements Check {
  @Override
  public String anomaly() {
    return "polls going back";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Positions positions = new Positions();
    for (Timed timed : history.events()) {
      if (timed.event() instanceof Positioned positioned) {
        positions.set(positioned);
      } else if (timed.event() instanceof Polled poll) {
        for (Item item : poll.items()) {
          long expected = positions.next(poll);
          if (item.offset() < expected) {
            found.accept(
                "%s was given %s offset %d and stood at %d"
                    .formatted(poll.client(), poll.partition(), item.offset(), expected));
          }
          positions.given(poll, item);
        }
      }
    }
  }
}
