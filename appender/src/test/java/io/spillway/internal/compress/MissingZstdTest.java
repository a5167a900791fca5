package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.spillway.internal.compress.ArchiveFormats.UnsupportedFormatException;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** On a class path without the optional library, only {@code .zst} is refused. */
@Tag("shared")
class MissingZstdTest {
  private static URL url(String path) {
    try {
      return new File(path).toURI().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Test
  void shouldNameTheMissingDependency() throws Exception {
    URL[] without =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(path -> !path.contains("zstd"))
            .map(MissingZstdTest::url)
            .toArray(URL[]::new);
    try (URLClassLoader loader =
        new URLClassLoader(without, ClassLoader.getPlatformClassLoader())) {
      Method forName =
          loader.loadClass(ArchiveFormats.class.getName()).getMethod("forName", String.class);
      assertThat(forName.invoke(null, "app.%i.log.gz")).isNotNull();

      Throwable thrown = catchThrowable(() -> forName.invoke(null, "app.%i.log.zst"));
      assertThat(thrown).isInstanceOf(InvocationTargetException.class);
      assertThat(thrown.getCause().getClass().getName())
          .isEqualTo(UnsupportedFormatException.class.getName());
      assertThat(thrown.getCause()).hasMessageContaining("com.github.luben:zstd-jni");
    }
  }
}
