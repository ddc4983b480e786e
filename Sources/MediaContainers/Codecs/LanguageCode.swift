/// Languages as MP4 stores them (ISO/IEC 14496-12, 8.4.2): the three letters of ISO 639-2/T.
enum LanguageCode {
    /// The code of a language tag (BCP 47), or `und` where it has none.
    static func threeLetters(_ tag: String?) -> String {
        let primary = (tag ?? "").lowercased().prefix { $0 != "-" && $0 != "_" }
        let isWord = primary.utf8.allSatisfy { (0x61...0x7A).contains($0) }
        if isWord, primary.utf8.count == 3 { return String(primary) }
        return isWord ? known[String(primary)] ?? "und" : "und"
    }

    private static let known: [String: String] = Dictionary(
        uniqueKeysWithValues: table.split(whereSeparator: \.isWhitespace).map { word in
            (String(word.prefix(2)), String(word.dropFirst(2)))
        })

    /// Two letters of ISO 639-1, then three of ISO 639-2/T.
    private static let table = """
        aaaar ababk aeave afafr akaka amamh anarg arara asasm avava ayaym azaze babak bebel bgbul bhbih bibis bmbam
        bnben bobod brbre bsbos cacat ceche chcha cocos crcre csces cuchu cvchv cycym dadan dedeu dvdiv dzdzo eeewe
        elell eneng eoepo esspa etest eueus fafas ffful fifin fjfij fofao frfra fyfry gagle gdgla glglg gngrn guguj
        gvglv hahau heheb hihin hohmo hrhrv hthat huhun hyhye hzher iaina idind ieile igibo iiiii ikipk ioido isisl
        itita iuiku jajpn jvjav kakat kgkon kikik kjkua kkkaz klkal kmkhm knkan kokor krkau kskas kukur kvkom kwcor
        kykir lalat lbltz lglug lilim lnlin lolao ltlit lulub lvlav mgmlg mhmah mimri mkmkd mlmal mnmon mrmar msmsa
        mtmlt mymya nanau nbnob ndnde nenep ngndo nlnld nnnno nonor nrnbl nvnav nynya ococi ojoji omorm orori ososs
        papan pipli plpol pspus ptpor quque rmroh rnrun roron rurus rwkin sasan scsrd sdsnd sesme sgsag sisin skslk
        slslv smsmo snsna sosom sqsqi srsrp ssssw stsot susun svswe swswa tatam tetel tgtgk ththa titir tktuk tltgl
        tntsn toton trtur tstso tttat twtwi tytah uguig ukukr ururd uzuzb veven vivie vovol wawln wowol xhxho yiyid
        yoyor zazha zhzho zuzul
        """

    /// The language of a number that QuickTime files have in place of letters (QuickTime File Format, "Language Code
    /// Values"); nil for one that stands for none.
    static func ofMacintosh(_ number: UInt16) -> String? {
        if Int(number) < macintosh.count { return String(macintosh[Int(number)]) }
        let later = Int(number) - 128
        return macintoshLater.indices.contains(later) ? String(macintoshLater[later]) : nil
    }

    /// From 0.
    private static let macintosh = """
        eng fra deu ita nld swe spa dan por nor heb jpn ara fin ell isl mlt tur hrv zho urd hin tha kor lit pol hun
        est lav sme fao fas rus zho nld gle sqi ron ces slk slv yid srp mkd bul ukr bel uzb kaz aze aze hye kat ron
        kir tgk tuk mon mon pus kur kas snd bod nep san mar ben asm guj pan ori mal kan tam tel sin mya khm lao vie
        ind tgl msa msa amh tir orm som swa kin run nya mlg epo
        """.split(whereSeparator: \.isWhitespace)

    /// From 128.
    private static let macintoshLater = """
        cym eus cat lat que grn aym tat uig dzo jav
        """.split(separator: " ")
}
