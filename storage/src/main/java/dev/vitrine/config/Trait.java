package dev.vitrine.config;

/** What a row of a key table says of a key besides name, type and default. */
sealed interface Trait permits ConfigRule, UpdateMode, Mark {}
