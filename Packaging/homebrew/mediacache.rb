# Template of the Homebrew formula. The release workflow replaces the placeholders and attaches the result to the
# release; copy it into the folder Formula of a tap.
class Mediacache < Formula
  desc "Cache between media players and their origins"
  homepage "@HOMEPAGE@"
  url "@URL@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  uses_from_macos "swift" => :build, since: :sequoia
  uses_from_macos "curl"
  uses_from_macos "sqlite"

  on_macos do
    depends_on xcode: ["26.0", :build]
    depends_on macos: :sequoia
  end

  on_linux do
    depends_on "openssl@3"
    depends_on "zlib-ng-compat"
  end

  def install
    # SwiftPM's sandbox can't run inside Homebrew's.
    system "swift", "build", "--disable-sandbox", "-c", "release", "--product", "mediacache"
    bin.install ".build/release/mediacache"
    generate_completions_from_executable(bin/"mediacache", "--generate-completion-script")
    (man1/"mediacache.1").write Utils.safe_popen_read(bin/"mediacache", "manual")
    doc.install "README.md", "docs/guide.md", "docs/operating.md", "docs/openapi.yaml"
  end

  # The server is started again after a failure, but not after a regular end.
  service do
    run [opt_bin/"mediacache", "serve"]
    keep_alive successful_exit: false
    error_log_path var/"log/mediacache.log"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/mediacache --version").strip

    port = free_port
    server = spawn bin/"mediacache", "serve", "--cache", testpath/"cache", "--port", port.to_s, "--min-free", "1MB"
    begin
      system "curl", "--silent", "--show-error", "--fail", "--output", "/dev/null", "--retry", "20",
             "--retry-connrefused", "--retry-delay", "1", "http://127.0.0.1:#{port}/healthz"
    ensure
      Process.kill "TERM", server
      Process.wait server
    end
  end
end
