package dev.vitrine.storage.powercut;

/** The ledger is missing, damaged, or does not fit the files: what was synced is not known. */
public final class LedgerException extends Exception {
  private static final long serialVersionUID = 1L;

  LedgerException(String message) {
    super(message);
  }
}
