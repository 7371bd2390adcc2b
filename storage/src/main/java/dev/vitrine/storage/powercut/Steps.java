package dev.vitrine.storage.powercut;

/** Called before every single step on files, so that a test can end a process at any of them. */
interface Steps {
  Steps ALL = () -> {};

  void next();
}
