package dev.vitrine.broker.net;

import java.util.Map;

/**
 * A request by HTTP, whole.
 *
 * @param method GET or POST
 * @param parameters of the query, each once
 * @param accept the media types that the answer may have; null if that was not said
 * @param mayChange whether it showed the token
 */
public record HttpQuestion(
    String method,
    String path,
    Map<String, String> parameters,
    String body,
    String accept,
    boolean mayChange) {}
