import Foundation
import MediaContainers
import TestSupport
import Testing

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct BoxTreeTests {
    private static let folder = "eyevinn-mp4ff/mp4/testdata"

    /// Returns lines such as `  [mvhd] size=108`.
    private func lines(_ nodes: [BoxNode], depth: Int = 0) -> [String] {
        nodes.flatMap { node in
            let indent = String(repeating: "  ", count: depth)
            return ["\(indent)[\(node.header.type)] size=\(node.header.size)"] + lines(node.children, depth: depth + 1)
        }
    }

    @Test(arguments: [
        ("init_prog.mp4", "golden_init_prog_mp4_dump.txt"), ("1.m4s", "golden_1_m4s_dump.txt"),
        ("init_cenc.cmfv", "golden_init_cenc_cmfv_dump.txt"), ("moof_enc.m4s", "golden_moof_enc_m4s_dump.txt"),
        ("golden_init_video.mp4", "golden_init_video_mp4_dump.txt"),
        ("golden_1_frag.m4s", "golden_1_frag_m4s_dump.txt"),
    ]) func matchesGoldenTree(file: String, golden: String) throws {
        let expected = try Corpora.text("\(Self.folder)/\(golden)").split(separator: "\n").compactMap { line in
            let trimmed = line.drop { $0 == " " }
            guard trimmed.hasPrefix("["), let end = line.range(of: "size=") else { return nil as String? }
            return String(line[..<end.upperBound]) + line[end.upperBound...].prefix { $0.isNumber }
        }
        let tree = try BoxTree(MemorySource(try Corpora.bytes("\(Self.folder)/\(file)")))
        #expect(lines(tree.roots) == expected)
    }
}
