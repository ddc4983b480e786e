import MediaCacheTesting
import Testing

struct ScriptedBodyTests {
    @Test func generatesBytesFromSeedAndOffset() {
        let whole = ScriptedBody.random(seed: 7, length: 300_000).bytes
        let body = ScriptedBody.random(seed: 7, length: 10 << 30)
        var generator = SystemRandomNumberGenerator()
        let seed = generator.next()
        print("seed \(seed)")
        var state = seed
        for _ in 0..<200 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let start = Int((state >> 33) % 290_000)
            let end = start + Int((state >> 20) % 10_000)
            #expect(body.bytes(in: Int64(start)..<Int64(end)) == Array(whole[start..<end]))
        }
        #expect(ScriptedBody.random(seed: 8, length: 300_000).bytes != whole)
    }

    @Test func detectsEveryShift() {
        let body = ScriptedBody.random(seed: 3, length: 6 << 30)
        let offset: Int64 = 5_000_000_123
        let bytes = body.bytes(in: offset..<offset + 20_000)
        #expect(body.matches(bytes, at: offset))
        for shift: Int64 in [-4096, -1, 1, 8, 4096, 65536, 262_144, 1 << 32] {
            #expect(!body.matches(bytes, at: offset + shift))
        }
        var damaged = bytes
        damaged[12_345] ^= 1
        #expect(!body.matches(damaged, at: offset))
    }

    @Test func matchesNothingBeyondEnd() {
        let body = ScriptedBody.bytes([1, 2, 3])
        #expect(body.matches([2, 3], at: 1))
        #expect(!body.matches([3, 0xEE], at: 2))
        #expect(!body.matches([1], at: -1))
        #expect(body.bytes(in: 2..<5) == [3, 0xEE, 0xEE])
        #expect(body.bytes(in: 5..<7) == [0xEE, 0xEE])
    }

    @Test func distributesBytesEvenly() {
        var counts = [Int](repeating: 0, count: 256)
        for byte in ScriptedBody.random(seed: 1, length: 1 << 20).bytes { counts[Int(byte)] += 1 }
        #expect(counts.allSatisfy { (3600...4600).contains($0) })
    }
}
