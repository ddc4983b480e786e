import MediaCache
import MediaLibrary
import Testing

struct ChannelNameTests {
    @Test(arguments: [
        ("https://example.org/news/live.m3u8", "news"), ("https://example.org/news-hd.m3u8?token=1", "news-hd"),
        ("https://tv.example.org/live.m3u8", "tv.example.org"), ("https://h/a%20b%C3%A9c/index.m3u8", "a-b-c"),
        ("https://h/.../master.m3u8", "channel"), ("https://h/%C3%A9/", "channel"),
    ])
    func derivesNameFromURL(url: String, name: String) throws {
        #expect(ChannelName(derivedFrom: try ResourceURL(url)).rawValue == name)
        #expect(ChannelName(rawValue: name) != nil)
    }
}
