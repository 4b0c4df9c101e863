package skewer.fabric8;

import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** The adapter: an implementation of Skewer's protocol that asks fabric8's mock server. */
final class Main {

  private Main() {
  }

  public static void main(String[] arguments) throws IOException {
    OutputStream output = new FileOutputStream(FileDescriptor.out);
    // What the libraries print must not come between the replies.
    System.setOut(System.err);
    new Conversation(new BufferedInputStream(System.in, 1 << 16), output).run();
  }
}
