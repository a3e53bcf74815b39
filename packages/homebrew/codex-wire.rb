# `cargo xtask pack archives` replaces what is in braces.
class CodexWire < Formula
  desc "Check Codex transcripts against the protocol of any Codex release"
  homepage "{url}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "{url}/releases/download/v{version}/{archive:darwin-arm64}"
      sha256 "{sha256:darwin-arm64}"
    end
    on_intel do
      url "{url}/releases/download/v{version}/{archive:darwin-x64}"
      sha256 "{sha256:darwin-x64}"
    end
  end

  on_linux do
    on_arm do
      url "{url}/releases/download/v{version}/{archive:linux-arm64}"
      sha256 "{sha256:linux-arm64}"
    end
    on_intel do
      url "{url}/releases/download/v{version}/{archive:linux-x64}"
      sha256 "{sha256:linux-x64}"
    end
  end

  def install
    bin.install Dir["codex-wire*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/codex-wire --version")
  end
end
