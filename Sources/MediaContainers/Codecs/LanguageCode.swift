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
}
