package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;

/** A metadata record and the version in which it is, or was, encoded. */
public record ApiMessageAndVersion(ApiMessage message, short version) {}
