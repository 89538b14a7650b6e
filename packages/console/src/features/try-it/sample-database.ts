import { createLocal, existsLocal, openLocal } from '../../local/databases.ts';
import { savedQueriesOf, saveQuery } from '../../local/saved-queries.ts';

/** A language with its ISO 639-3 code, and the approximate number of its speakers. */
interface SampleLanguage {
  readonly _id: string;
  readonly name: string;
  /** Code of ISO 639-1, for languages that have one. */
  readonly alpha_2?: string;
  /** `I`: individual language; `M`: macrolanguage. */
  readonly scope: 'I' | 'M';
  readonly type: 'Living' | 'Ancient' | 'Historical' | 'Constructed';
  readonly speakers?: number;
  readonly scripts: readonly string[];
}

/** Code, two-letter code, name, speakers in thousands, and scripts. */
const ROWS = `zho zh Chinese (macrolanguage)|1350000|Hans Hant
eng en English|1500000|Latn
spa es Spanish|560000|Latn
hin hi Hindi|610000|Deva
ara ar Arabic (macrolanguage)|380000|Arab
fra fr French|310000|Latn
ben bn Bengali|270000|Beng
por pt Portuguese|265000|Latn
rus ru Russian|255000|Cyrl
urd ur Urdu|230000|Arab
ind id Indonesian|200000|Latn
deu de German|135000|Latn
jpn ja Japanese|125000|Jpan
pcm - Nigerian Pidgin|120000|Latn
mar mr Marathi|99000|Deva
vie vi Vietnamese|97000|Latn
tel te Telugu|96000|Telu
tur tr Turkish|90000|Latn
tam ta Tamil|87000|Taml
tgl tl Tagalog|83000|Latn
kor ko Korean|82000|Kore
fas fa Persian (macrolanguage)|110000|Arab
swa sw Swahili (macrolanguage)|87000|Latn Arab
hau ha Hausa|79000|Latn Arab
jav jv Javanese|68000|Latn Java
ita it Italian|67000|Latn
guj gu Gujarati|62000|Gujr
tha th Thai|61000|Thai
amh am Amharic|60000|Ethi
kan kn Kannada|59000|Knda
pus ps Pushto (macrolanguage)|58000|Arab
yor yo Yoruba|47000|Latn
orm om Oromo (macrolanguage)|45600|Latn Ethi
mya my Burmese|43000|Mymr
pol pl Polish|41000|Latn
ori or Oriya (macrolanguage)|34500|Orya
uzb uz Uzbek (macrolanguage)|35000|Latn Cyrl
mal ml Malayalam|37000|Mlym
ful ff Fulah (macrolanguage)|36700|Latn Adlm
ukr uk Ukrainian|33000|Cyrl
sun su Sundanese|32000|Latn
ibo ig Igbo|31000|Latn
ron ro Romanian|25000|Latn
kur ku Kurdish (macrolanguage)|26000|Latn Arab
mlg mg Malagasy (macrolanguage)|25000|Latn
nep ne Nepali (macrolanguage)|24700|Deva
aze az Azerbaijani (macrolanguage)|24000|Latn Cyrl
nld nl Dutch|25000|Latn
som so Somali|22000|Latn
hbs sh Serbo-Croatian (macrolanguage)|21000|Latn Cyrl
khm km Khmer|18000|Khmr
sin si Sinhala|17000|Sinh
zul zu Zulu|28000|Latn
xho xh Xhosa|19000|Latn
afr af Afrikaans|17500|Latn
kaz kk Kazakh|16000|Cyrl
ell el Modern Greek|13500|Grek
hun hu Hungarian|13000|Latn
ces cs Czech|13000|Latn
swe sv Swedish|13000|Latn
kin rw Kinyarwanda|15000|Latn
bel be Belarusian|5100|Cyrl
bul bg Bulgarian|8000|Cyrl
cat ca Catalan|9200|Latn
heb he Hebrew|9000|Hebr
dan da Danish|6000|Latn
fin fi Finnish|5800|Latn
nor no Norwegian (macrolanguage)|5400|Latn
slk sk Slovak|7000|Latn
hye hy Armenian|5300|Armn
kat ka Georgian|3900|Geor
mon mn Mongolian (macrolanguage)|5200|Cyrl Mong
lit lt Lithuanian|3000|Latn
slv sl Slovenian|2500|Latn
lav lv Latvian (macrolanguage)|1700|Latn
est et Estonian (macrolanguage)|1100|Latn
mkd mk Macedonian|1700|Cyrl
sqi sq Albanian (macrolanguage)|7500|Latn
eus eu Basque|800|Latn
glg gl Galician|2400|Latn
cym cy Welsh|850|Latn
gle ga Irish|1900|Latn
gla gd Scottish Gaelic|57|Latn
bre br Breton|210|Latn
isl is Icelandic|330|Latn
fao fo Faroese|69|Latn
mlt mt Maltese|570|Latn
ltz lb Luxembourgish|300|Latn
tat tt Tatar|4300|Cyrl
bak ba Bashkir|1100|Cyrl
que qu Quechua (macrolanguage)|7200|Latn
aym ay Aymara (macrolanguage)|1700|Latn
grn gn Guarani (macrolanguage)|6500|Latn
nav nv Navajo|170|Latn
haw - Hawaiian|24|Latn
mri mi Maori|190|Latn
smo sm Samoan|510|Latn
fij fj Fijian|640|Latn
iku iu Inuktitut (macrolanguage)|39|Cans Latn
kal kl Kalaallisut|56|Latn
chr - Cherokee|2|Cher
bod bo Tibetan|1200|Tibt
dzo dz Dzongkha|640|Tibt
lao lo Lao|30000|Laoo
wol wo Wolof|12000|Latn Arab
tir ti Tigrinya|9700|Ethi
sna sn Shona|11000|Latn
tsn tn Tswana|13700|Latn
epo eo Esperanto|2000|Latn
tok - Toki Pona|2|Latn
ina ia Interlingua||Latn
vol vo Volapük||Latn
lat la Latin||Latn
san sa Sanskrit||Deva
grc - Ancient Greek||Grek
akk - Akkadian||Xsux
egy - Egyptian||Egyp
got - Gothic||Goth
non - Old Norse||Runr Latn
ang - Old English||Latn Runr`;

const TYPES: Readonly<Record<SampleLanguage['type'], string>> = {
  Living: '',
  Ancient: 'lat san grc akk egy got',
  Historical: 'non ang',
  Constructed: 'epo tok ina vol',
};

const typeOf = (code: string): SampleLanguage['type'] =>
  (Object.keys(TYPES) as SampleLanguage['type'][]).find((type) => TYPES[type].split(' ').includes(code)) ??
  'Living';

export const SAMPLE_LANGUAGES: readonly SampleLanguage[] = ROWS.split('\n').map((row) => {
  const [names = '', thousands = '', scripts = ''] = row.split('|');
  const [code = '', short = '-', ...words] = names.split(' ');
  return {
    _id: code,
    name: words.join(' '),
    ...(short !== '-' && { alpha_2: short }),
    scope: names.includes('(macrolanguage)') ? 'M' : 'I',
    type: typeOf(code),
    ...(thousands !== '' && { speakers: Number(thousands) * 1000 }),
    scripts: scripts.split(' '),
  };
});

const NAME = 'languages';
const BY_SCRIPT = `// the languages of each script
function (doc, emit) {
  for (const script of doc.scripts ?? []) emit(script, doc.name)
}`;

/**
 * Creates a local database of sample data with a saved query, or finds the one that exists.
 * Resolves with its name. @throws FixpointError
 */
export async function createSample(): Promise<string> {
  if (await existsLocal(NAME)) {
    const { rows } = await openLocal(NAME).allDocs({ limit: 1 });
    if (rows.length > 0) return NAME;
  }
  const database = await createLocal(NAME);
  await database.bulk([...SAMPLE_LANGUAGES]);
  // The user may have deleted the languages, and kept the queries.
  const saved = await savedQueriesOf(NAME).allDocs({ limit: 1 });
  if (saved.rows.length === 0) await saveQuery(NAME, { name: 'Languages by script', source: BY_SCRIPT });
  return NAME;
}
