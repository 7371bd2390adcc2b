package dev.vitrine.compat.clients;

/**
 * A row of the matrix.
 *
 * @param name as it stands before the row
 */
record Step(String name, Action action) {
  /** Lets a client do something and looks whether it was done; an AssertionError if it was not. */
  interface Action {
    void run(Trial trial) throws Exception;
  }

  Cell run(Trial trial) {
    try {
      action.run(trial);
      return new Cell(Cell.OK, "");
    } catch (Said e) {
      return new Cell(e.cell(), e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Cell(Cell.WRONG, "interrupted");
    } catch (Exception | AssertionError e) {
      return new Cell(Cell.WRONG, String.valueOf(e.getMessage()));
    }
  }
}
