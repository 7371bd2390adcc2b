package dev.vitrine.compat.clients;

/** A client refused, or does not have, what a step needs: the step's cell says so. */
final class Said extends Exception {
  private static final long serialVersionUID = 1;
  private final String cell;

  /**
   * @param why the whole of what it said
   */
  Said(String cell, String why) {
    super(why);
    this.cell = cell;
  }

  String cell() {
    return cell;
  }
}
