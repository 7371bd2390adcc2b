package dev.vitrine.compat.clients;

import java.lang.reflect.Method;

/** What has another name, or another form, in another version of kafka-clients. */
final class Reflected {
  private Reflected() {}

  /** Calls the first of these methods without arguments that the object has. */
  static Object call(Object object, String... names) throws Exception {
    for (String name : names) {
      try {
        return open(object.getClass().getMethod(name)).invoke(object);
      } catch (NoSuchMethodException e) {
        // The next one, then.
      }
    }
    throw new NoSuchMethodException(object.getClass() + " has none of " + String.join(", ", names));
  }

  static Object call(Object object, String name, Class<?> type, Object argument) throws Exception {
    return open(object.getClass().getMethod(name, type)).invoke(object, argument);
  }

  /** Implementations of public interfaces are often not public themselves. */
  private static Method open(Method method) {
    method.setAccessible(true);
    return method;
  }

  static boolean exists(String name) {
    try {
      Class.forName(name, false, Reflected.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
