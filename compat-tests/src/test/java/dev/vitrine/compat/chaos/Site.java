package dev.vitrine.compat.chaos;

import dev.vitrine.compat.Clients;

/** What every load of a run works with. */
public record Site(Recorder recorder, Clients clients, Topics topics) {}
