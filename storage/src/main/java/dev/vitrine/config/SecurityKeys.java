package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.anyList;
import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.ConfigRule.between;
import static dev.vitrine.config.ConfigRule.oneOf;
import static dev.vitrine.config.ConfigRule.oneOfIgnoringCase;
import static dev.vitrine.config.Mark.NO_EFFECT;
import static dev.vitrine.config.UpdateMode.PER_BROKER;

/** TLS, SASL, authorization and delegation tokens, which Vitrine doesn't have yet. */
final class SecurityKeys {
  private SecurityKeys() {}

  static void define(ConfigTable.Builder t) {
    t.string("authorizer.class.name", "", NO_EFFECT)
        .doc("The class that decides who may do what; nobody is asked when empty.");
    t.className(
            "principal.builder.class",
            "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder",
            PER_BROKER,
            NO_EFFECT)
        .doc("The class that names the principal of a connection.");
    t.int64("connections.max.reauth.ms", 0L, NO_EFFECT)
        .doc("A SASL connection must authenticate again after so long; 0 is never.");
    t.string("security.providers", null, NO_EFFECT).doc("Security providers to add to the JVM.");
    t.password("delegation.token.secret.key", NO_EFFECT)
        .doc("The secret with which delegation tokens are signed.");
    t.int64("delegation.token.max.lifetime.ms", 604_800_000L, atLeast(1), NO_EFFECT)
        .doc("The longest life of a delegation token.");
    t.int64("delegation.token.expiry.time.ms", 86_400_000L, atLeast(1), NO_EFFECT)
        .doc("How long a delegation token is valid before it must be renewed.");
    t.int64("delegation.token.expiry.check.interval.ms", 3_600_000L, atLeast(1), NO_EFFECT)
        .doc("How often delegation tokens are searched for those that have expired.");
    t.string("ssl.protocol", "TLSv1.3", PER_BROKER, NO_EFFECT)
        .doc("The TLS protocol of a context.");
    t.string("ssl.provider", null, PER_BROKER, NO_EFFECT).doc("The security provider of TLS.");
    t.list("ssl.cipher.suites", "", anyList(), PER_BROKER, NO_EFFECT)
        .doc("The cipher suites that are offered; the JVM's when empty.");
    t.list("ssl.enabled.protocols", "TLSv1.2,TLSv1.3", anyList(), PER_BROKER, NO_EFFECT)
        .doc("The TLS versions that are offered.");
    t.string("ssl.keystore.type", "JKS", PER_BROKER, NO_EFFECT).doc("The format of the key store.");
    t.string("ssl.keystore.location", null, PER_BROKER, NO_EFFECT)
        .doc("The file of the key store.");
    t.password("ssl.keystore.password", PER_BROKER, NO_EFFECT)
        .doc("The password of the key store.");
    t.password("ssl.keystore.key", PER_BROKER, NO_EFFECT).doc("The private key, in PEM.");
    t.password("ssl.keystore.certificate.chain", PER_BROKER, NO_EFFECT)
        .doc("The certificate chain, in PEM.");
    t.password("ssl.key.password", PER_BROKER, NO_EFFECT).doc("The password of the private key.");
    t.string("ssl.keymanager.algorithm", "SunX509", PER_BROKER, NO_EFFECT)
        .doc("The algorithm of the key manager.");
    t.string("ssl.truststore.type", "JKS", PER_BROKER, NO_EFFECT)
        .doc("The format of the trust store.");
    t.string("ssl.truststore.location", null, PER_BROKER, NO_EFFECT)
        .doc("The file of the trust store.");
    t.password("ssl.truststore.password", PER_BROKER, NO_EFFECT)
        .doc("The password of the trust store.");
    t.password("ssl.truststore.certificates", PER_BROKER, NO_EFFECT)
        .doc("The trusted certificates, in PEM.");
    t.string("ssl.trustmanager.algorithm", "PKIX", PER_BROKER, NO_EFFECT)
        .doc("The algorithm of the trust manager.");
    t.string("ssl.endpoint.identification.algorithm", "https", PER_BROKER, NO_EFFECT)
        .doc("How the name in a server's certificate is checked; empty is not at all.");
    t.string("ssl.secure.random.implementation", null, PER_BROKER, NO_EFFECT)
        .doc("The source of randomness for TLS.");
    t.string(
            "ssl.client.auth",
            "none",
            oneOf("required", "requested", "none"),
            PER_BROKER,
            NO_EFFECT)
        .doc("Whether clients must, may or need not show a certificate.");
    t.className("ssl.engine.factory.class", null, PER_BROKER, NO_EFFECT)
        .doc("The class that makes TLS engines.");
    t.string("ssl.principal.mapping.rules", "DEFAULT", NO_EFFECT)
        .doc("Rules that make a short name of a certificate's distinguished name.");
    t.bool("ssl.allow.dn.changes", false, NO_EFFECT)
        .doc("Whether a new key store may have another distinguished name.");
    t.bool("ssl.allow.san.changes", false, NO_EFFECT)
        .doc("Whether a new key store may have other alternative names.");
    t.string("sasl.mechanism.controller.protocol", "GSSAPI", NO_EFFECT)
        .doc("The SASL mechanism by which this node talks to controllers.");
    t.string("sasl.mechanism.inter.broker.protocol", "GSSAPI", PER_BROKER, NO_EFFECT)
        .doc("The SASL mechanism among brokers.");
    t.list("sasl.enabled.mechanisms", "GSSAPI", anyList(), PER_BROKER, NO_EFFECT)
        .doc("The SASL mechanisms that are offered.");
    t.password("sasl.jaas.config", PER_BROKER, NO_EFFECT).doc("The JAAS login of a SASL listener.");
    t.className("sasl.server.callback.handler.class", null, NO_EFFECT)
        .doc("The class that answers a SASL server's questions.");
    t.className("sasl.client.callback.handler.class", null, NO_EFFECT)
        .doc("The class that answers a SASL client's questions.");
    t.className("sasl.login.class", null, NO_EFFECT).doc("The class that logs in.");
    t.className("sasl.login.callback.handler.class", null, NO_EFFECT)
        .doc("The class that answers a login's questions.");
    t.int32("sasl.server.max.receive.size", 524_288, NO_EFFECT)
        .doc("The largest SASL message from a client that has not authenticated yet.");
    t.string("sasl.kerberos.kinit.cmd", "/usr/bin/kinit", PER_BROKER, NO_EFFECT)
        .doc("The path of Kerberos' kinit.");
    t.int64("sasl.kerberos.min.time.before.relogin", 60_000L, PER_BROKER, NO_EFFECT)
        .doc("The pause of the thread that refreshes Kerberos logins.");
    t.list("sasl.kerberos.principal.to.local.rules", "DEFAULT", anyList(), PER_BROKER, NO_EFFECT)
        .doc("Rules that make a short name of a Kerberos principal.");
    t.string("sasl.kerberos.service.name", null, PER_BROKER, NO_EFFECT)
        .doc("The Kerberos name under which brokers run.");
    t.float64("sasl.kerberos.ticket.renew.jitter", 0.05, PER_BROKER, NO_EFFECT)
        .doc("The random share added to the time of a ticket's renewal.");
    t.float64("sasl.kerberos.ticket.renew.window.factor", 0.8, PER_BROKER, NO_EFFECT)
        .doc("The share of a ticket's life after which it is renewed.");
    t.int32("sasl.login.connect.timeout.ms", null, NO_EFFECT)
        .doc("How long the connection to a token provider may take.");
    t.int32("sasl.login.read.timeout.ms", null, NO_EFFECT)
        .doc("How long the answer of a token provider may take.");
    t.int64("sasl.login.retry.backoff.ms", 100L, NO_EFFECT)
        .doc("The first pause between two tries to log in at a token provider.");
    t.int64("sasl.login.retry.backoff.max.ms", 10_000L, NO_EFFECT)
        .doc("The longest pause between two tries to log in at a token provider.");
    t.int16("sasl.login.refresh.buffer.seconds", 300, PER_BROKER, NO_EFFECT)
        .doc("The time before its end at which a token is refreshed at the latest.");
    t.int16("sasl.login.refresh.min.period.seconds", 60, PER_BROKER, NO_EFFECT)
        .doc("The least time between two refreshes of a token.");
    t.float64("sasl.login.refresh.window.factor", 0.8, PER_BROKER, NO_EFFECT)
        .doc("The share of a token's life after which it is refreshed.");
    t.float64("sasl.login.refresh.window.jitter", 0.05, PER_BROKER, NO_EFFECT)
        .doc("The random share added to the time of a token's refresh.");
    t.bool("sasl.oauthbearer.allow.unverified.audience", false, NO_EFFECT)
        .doc("Whether a token's audience may go unchecked.");
    t.bool("sasl.oauthbearer.allow.unverified.issuer", false, NO_EFFECT)
        .doc("Whether a token's issuer may go unchecked.");
    t.string(
            "sasl.oauthbearer.assertion.algorithm",
            "RS256",
            oneOfIgnoringCase("ES256", "RS256"),
            NO_EFFECT)
        .doc("The algorithm by which an assertion is signed.");
    t.string("sasl.oauthbearer.assertion.claim.aud", null, NO_EFFECT)
        .doc("The audience of an assertion.");
    t.int32("sasl.oauthbearer.assertion.claim.exp.seconds", 300, between(0, 86_400), NO_EFFECT)
        .doc("The life of an assertion.");
    t.string("sasl.oauthbearer.assertion.claim.iss", null, NO_EFFECT)
        .doc("The issuer of an assertion.");
    t.bool("sasl.oauthbearer.assertion.claim.jti.include", false, NO_EFFECT)
        .doc("Whether an assertion has an id of its own.");
    t.int32("sasl.oauthbearer.assertion.claim.nbf.seconds", 60, between(0, 3600), NO_EFFECT)
        .doc("How far before now an assertion begins to be valid.");
    t.string("sasl.oauthbearer.assertion.claim.sub", null, NO_EFFECT)
        .doc("The subject of an assertion.");
    t.string("sasl.oauthbearer.assertion.file", null, NO_EFFECT)
        .doc("The file of a ready assertion.");
    t.string("sasl.oauthbearer.assertion.private.key.file", null, NO_EFFECT)
        .doc("The file of the key that signs assertions.");
    t.password("sasl.oauthbearer.assertion.private.key.passphrase", NO_EFFECT)
        .doc("The passphrase of the key that signs assertions.");
    t.string("sasl.oauthbearer.assertion.template.file", null, NO_EFFECT)
        .doc("The file of an assertion's fixed parts.");
    t.string("sasl.oauthbearer.client.credentials.client.id", null, NO_EFFECT)
        .doc("The client's id at the token provider.");
    t.password("sasl.oauthbearer.client.credentials.client.secret", NO_EFFECT)
        .doc("The client's secret at the token provider.");
    t.int32("sasl.oauthbearer.clock.skew.seconds", 30, NO_EFFECT)
        .doc("How far the clocks of broker and token provider may differ.");
    t.list("sasl.oauthbearer.expected.audience", "", anyList(), NO_EFFECT)
        .doc("The audiences that a token may have.");
    t.string("sasl.oauthbearer.expected.issuer", null, NO_EFFECT)
        .doc("The issuer that a token must have.");
    t.string("sasl.oauthbearer.jwks.endpoint.url", null, NO_EFFECT)
        .doc("Where the token provider's keys are found.");
    t.int64("sasl.oauthbearer.jwks.endpoint.refresh.ms", 3_600_000L, NO_EFFECT)
        .doc("How often the token provider's keys are fetched.");
    t.int64("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", 100L, NO_EFFECT)
        .doc("The first pause after a failure to fetch the token provider's keys.");
    t.int64("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", 10_000L, NO_EFFECT)
        .doc("The longest pause after a failure to fetch the token provider's keys.");
    t.className(
            "sasl.oauthbearer.jwt.retriever.class",
            "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever",
            NO_EFFECT)
        .doc("The class that gets tokens.");
    t.className(
            "sasl.oauthbearer.jwt.validator.class",
            "org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator",
            NO_EFFECT)
        .doc("The class that checks tokens.");
    t.string("sasl.oauthbearer.scope", null, NO_EFFECT).doc("The scope that is asked for.");
    t.string("sasl.oauthbearer.scope.claim.name", "scope", NO_EFFECT)
        .doc("The claim that holds a token's scope.");
    t.string("sasl.oauthbearer.sub.claim.name", "sub", NO_EFFECT)
        .doc("The claim that holds a token's subject.");
    t.string("sasl.oauthbearer.token.endpoint.url", null, NO_EFFECT).doc("Where tokens are got.");
  }
}
