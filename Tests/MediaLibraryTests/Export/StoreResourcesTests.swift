import MediaCache
import MediaCacheTesting
import MediaContainers
import MediaLibrary
import Testing

struct StoreResourcesTests {
    private let fixture = LibraryFixture()

    /// A playlist may specify any byte position.
    @Test(arguments: [
        "#EXTINF:4,\n#EXT-X-BYTERANGE:1@9223372036854775806\na.ts",
        "#EXTINF:4,\n#EXT-X-BYTERANGE:0@9223372036854775807\na.ts",
        "#EXT-X-MAP:URI=\"a.ts\",BYTERANGE=\"1@9223372036854775806\"\n#EXTINF:4,\na.ts",
    ])
    func throwsForRangesBeyondAnyFile(segment: String) async throws {
        let playlist = try ResourceURL("http://origin.example/s/index.m3u8")
        let media = try ResourceURL("http://origin.example/s/a.ts")
        fixture.serve("#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(segment)\n#EXT-X-ENDLIST\n", at: playlist)
        fixture.origin[media] = ScriptedResource(.random(seed: 1, length: 3000), contentType: "video/mp2t")
        let store = try await fixture.open()
        _ = try await PlaylistLoader(store: store).load(playlist)
        _ = try await store.fill(ReadRequest(url: media))
        await #expect(throws: ContainerError.self) {
            try await BlockingOperation.run { control in
                let resources = StoreResources(store, settings: store.transfers, control: control)
                let plan = try StreamPlan(playlist: "\(playlist)", resources: resources)
                let part = try #require(plan.inputs.first?.first)
                _ = try resources.bytes(of: part.section?.url ?? part.url, range: part.section?.range ?? part.range)
            }
        }
        await store.close()
    }

    /// The user has played a file from a local address, and a cached playlist refers to it.
    @Test(arguments: [AddressKind.global, .local])
    func publicPlaylistDoesNotReadCachedSegmentFromLocalAddress(peer: AddressKind) async throws {
        let playlist = try ResourceURL("http://origin.example/s/index.m3u8")
        let media = try ResourceURL("http://nas.example/a.ts")
        fixture.serve("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n\(media)\n#EXT-X-ENDLIST\n", at: playlist)
        fixture.origin[playlist]?.peer = peer
        fixture.origin[media] = ScriptedResource(
            .random(seed: 1, length: 3000), contentType: "video/mp2t", peer: .local)
        let store = try await fixture.open()
        _ = try await PlaylistLoader(store: store).load(playlist, scope: .any)
        _ = try await store.fill(ReadRequest(url: media))
        let length = try? await BlockingOperation.run { control in
            let resources = StoreResources(store, settings: store.transfers, control: control)
            let plan = try StreamPlan(playlist: "\(playlist)", resources: resources)
            let part = try #require(plan.inputs.first?.first)
            return try resources.bytes(of: part.url, range: nil).length
        }
        #expect(length == (peer == .local ? 3000 : nil))
        await store.close()
    }
}
