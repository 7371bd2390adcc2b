package dev.vitrine.broker;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The rules of docs/ARCHITECTURE.md that a compiler does not check: who may know whom, and that
 * time, chance, threads, files and sockets come from the seams alone.
 */
class ModuleRulesTest {
  /** The classes that implement the seams, and those that start a process. */
  private static final Set<String> SEAMS =
      Set.of(
          "dev.vitrine.broker.net.NettyShard",
          "dev.vitrine.broker.net.NettyNetwork",
          "dev.vitrine.broker.net.NettyServer",
          "dev.vitrine.broker.net.NettyConnection",
          "dev.vitrine.broker.net.DiskWorkers",
          "dev.vitrine.storage.NioDisk",
          "dev.vitrine.storage.NioFile",
          "dev.vitrine.storage.powercut.LedgerFolder",
          "dev.vitrine.storage.powercut.LedgerOpening",
          "dev.vitrine.storage.powercut.LedgerText",
          "dev.vitrine.storage.powercut.LogEnds",
          "dev.vitrine.storage.powercut.Losses",
          "dev.vitrine.storage.powercut.Names",
          "dev.vitrine.storage.powercut.PowerCut",
          "dev.vitrine.storage.powercut.PowerCutDisk",
          "dev.vitrine.storage.powercut.UndoFile",
          "dev.vitrine.broker.Main",
          "dev.vitrine.broker.net.HttpListener",
          "dev.vitrine.broker.NodeFolder",
          "dev.vitrine.broker.Format");

  private static JavaClasses classes;

  @BeforeAll
  static void readClasses() {
    classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            // The test jars of other modules.
            .withImportOption(location -> !location.contains("-tests.jar"))
            .withImportOption(location -> !location.contains("/test-classes/"))
            // Generated, many, and all alike.
            .withImportOption(location -> !location.contains("/dev/vitrine/protocol/message/"))
            .importPackages("dev.vitrine");
  }

  private static DescribedPredicate<JavaClass> notASeam() {
    return DescribedPredicate.describe(
        "not the implementation of a seam",
        c -> !SEAMS.contains(c.getName().replaceFirst("\\$.*", "")));
  }

  private static DescribedPredicate<JavaAccess<?>> call(Class<?> owner, String... names) {
    List<String> wanted = List.of(names);
    return DescribedPredicate.describe(
        owner.getSimpleName() + " " + wanted,
        access ->
            access.getTargetOwner().isEquivalentTo(owner) && wanted.contains(access.getName()));
  }

  private static DescribedPredicate<JavaAccess<?>> anyCall(String ownerPattern) {
    return DescribedPredicate.describe(
        ownerPattern, access -> access.getTargetOwner().getName().matches(ownerPattern));
  }

  private static void nobodyCalls(DescribedPredicate<JavaAccess<?>> what, String because) {
    noClasses().that(notASeam()).should().accessTargetWhere(what).because(because).check(classes);
  }

  @Test
  void timeComesFromTheShard() {
    String because = "time comes from Shard.now and Shard.ticks: it is simulated";
    nobodyCalls(call(System.class, "currentTimeMillis", "nanoTime"), because);
    nobodyCalls(call(java.time.Instant.class, "now"), because);
    nobodyCalls(call(java.time.Clock.class, "systemUTC", "systemDefaultZone"), because);
    nobodyCalls(call(java.time.LocalDateTime.class, "now"), because);
    nobodyCalls(call(java.time.ZonedDateTime.class, "now"), because);
  }

  @Test
  void chanceComesFromTheShard() {
    String because = "chance comes from Shard.random: it has a seed";
    nobodyCalls(call(java.util.Random.class, "<init>"), because);
    nobodyCalls(call(java.util.SplittableRandom.class, "<init>"), because);
    nobodyCalls(call(java.security.SecureRandom.class, "<init>"), because);
    nobodyCalls(call(Math.class, "random"), because);
    nobodyCalls(anyCall("java\\.util\\.concurrent\\.ThreadLocalRandom"), because);
    nobodyCalls(call(java.util.UUID.class, "randomUUID"), because);
  }

  @Test
  void threadsComeFromTheSeams() {
    String because = "there are shards and their disk workers, and no other thread";
    nobodyCalls(call(Thread.class, "<init>", "start", "sleep"), because);
    nobodyCalls(anyCall("java\\.util\\.concurrent\\.Executors"), because);
    nobodyCalls(anyCall("java\\.util\\.Timer"), because);
    nobodyCalls(
        DescribedPredicate.describe(
            "CompletableFuture.*Async",
            access ->
                access.getTargetOwner().getName().equals("java.util.concurrent.CompletableFuture")
                    && access.getName().endsWith("Async")),
        because);
  }

  @Test
  void filesAndSocketsComeFromTheSeams() {
    String because = "files come from Disk, sockets from Network: both are simulated";
    nobodyCalls(anyCall("java\\.nio\\.file\\.Files"), because);
    nobodyCalls(
        anyCall("java\\.io\\.(File|FileInputStream|FileOutputStream|RandomAccessFile)"), because);
    nobodyCalls(
        anyCall(
            "java\\.net\\.(Socket|ServerSocket|DatagramSocket|InetAddress|InetSocketAddress|URL|HttpURLConnection)"),
        because);
    nobodyCalls(anyCall("java\\.nio\\.channels\\..*(SocketChannel|Selector)"), because);
    nobodyCalls(call(java.nio.channels.FileChannel.class, "open"), because);
  }

  @Test
  void nettyStaysInItsPackage() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.vitrine.broker.net..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("io.netty..")
                .and(DescribedPredicate.not(resideInAPackage("io.netty.buffer..")))
                .and(
                    DescribedPredicate.describe(
                        "other than ReferenceCounted",
                        c -> !c.getName().equals("io.netty.util.ReferenceCounted"))))
        .because("its channels, loops and promises appear nowhere else")
        .check(classes);
  }

  @Test
  void kafkasClassesAreNotOnOurPath() {
    noClasses()
        .should()
        .dependOnClassesThat(resideInAnyPackage("org.apache.kafka..", "kafka.."))
        .because("kafka-clients is for tools and tests")
        .check(classes);
  }

  @Test
  void packagesKnowOnlyWhatStandsAboveThem() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("dev.vitrine..")
        .withOptionalLayers(true)
        .layer("protocol")
        .definedBy("dev.vitrine.protocol..")
        .layer("seam")
        .definedBy("dev.vitrine.seam..")
        .layer("config")
        .definedBy("dev.vitrine.config..")
        .layer("storage")
        .definedBy("dev.vitrine.storage..")
        .layer("rpc")
        .definedBy("dev.vitrine.rpc..")
        .layer("quorum")
        .definedBy("dev.vitrine.quorum..")
        .layer("metadata")
        .definedBy("dev.vitrine.metadata..")
        .layer("quota")
        .definedBy("dev.vitrine.quota..")
        .layer("controller")
        .definedBy("dev.vitrine.controller..")
        .layer("broker")
        .definedBy("dev.vitrine.broker..")
        .whereLayer("protocol")
        .mayNotAccessAnyLayer()
        .whereLayer("seam")
        .mayOnlyAccessLayers("protocol")
        .whereLayer("storage")
        .mayOnlyAccessLayers("protocol", "seam")
        .whereLayer("config")
        .mayOnlyAccessLayers("protocol", "seam", "storage")
        .whereLayer("rpc")
        .mayOnlyAccessLayers("protocol", "seam", "config")
        .whereLayer("quorum")
        .mayOnlyAccessLayers("protocol", "seam", "config", "storage", "rpc", "metadata")
        .whereLayer("metadata")
        .mayOnlyAccessLayers("protocol", "seam", "storage", "config", "quorum")
        .whereLayer("quota")
        .mayOnlyAccessLayers("protocol", "metadata")
        .whereLayer("controller")
        .mayOnlyAccessLayers(
            "protocol", "seam", "config", "storage", "rpc", "quorum", "metadata", "quota")
        .check(classes);
  }
}
