import { readVideos } from './containers.ts'
import { canUnpack } from './unpacker.ts'

/** Kind of files that is recognised but not supported, with advice. */
export interface ForeignKind {
  /** Name in the plural: "HEIC pictures". */
  what: string
  family: ForeignFamily
  /** How to convert one, if the usual advice of the family does not fit. */
  advice?: string
}

/** Family of files. Pictures, videos and archives were meant as frames; the others may be beside frames. */
export type ForeignFamily = 'image' | 'video' | 'archive' | 'audio' | 'document' | 'model' | 'data'

const archives = canUnpack('zstd') ? 'zip, tar, tar.gz and tar.zst' : 'zip, tar and tar.gz'

const families: Record<ForeignFamily, { read: string; advice: string }> = {
  image: {
    read: 'Pictures are read as JPEG, PNG, WebP, GIF, TIFF, BMP and AVIF',
    advice: 'convert them, for example by `magick input output.png` of ImageMagick',
  },
  video: {
    read: `Videos are read as ${readVideos}`,
    advice: 'convert them, for example by `ffmpeg -i input -c:v libx264 output.mp4`',
  },
  archive: { read: `Archives are read as ${archives}`, advice: 'unpack them and pack a zip' },
  audio: {
    read: `Pictures, PDFs and videos are read, the latter as ${readVideos}`,
    advice: 'draw the sound, for example by `ffmpeg -i input -lavfi showspectrumpic output.png`',
  },
  document: { read: 'Documents are read as PDF', advice: 'save or print them as PDF' },
  model: {
    read: 'Pictures, videos and PDFs are read, no point clouds or 3D models',
    advice: 'render pictures of them as PNG',
  },
  data: {
    read: 'Pictures, videos and PDFs are read, no tables or arrays',
    advice: 'write their pictures as PNG or TIFF',
  },
}

const opening = (program: string, as: string) => `open them in ${program} and export ${as}`

const withCamera = 'develop them, for example by `darktable-cli input output.png`'

/** Unsupported kinds by the name under which a mark refers to them. */
export const foreignKinds = {
  heic: {
    what: 'HEIC pictures',
    family: 'image',
    advice: 'convert them, for example by `magick input.heic output.jpg` of ImageMagick',
  },
  jxl: {
    what: 'JPEG XL pictures',
    family: 'image',
    advice: 'convert them, for example by `djxl input.jxl output.png`',
  },
  jp2: { what: 'JPEG 2000 pictures', family: 'image' },
  jxr: { what: 'JPEG XR pictures', family: 'image' },
  raw: { what: 'raw pictures of cameras', family: 'image', advice: withCamera },
  psd: {
    what: 'Photoshop documents',
    family: 'image',
    advice: opening('Photoshop or GIMP', 'PNG'),
  },
  xcf: { what: 'GIMP documents', family: 'image', advice: opening('GIMP', 'PNG') },
  exr: { what: 'OpenEXR pictures', family: 'image' },
  hdr: { what: 'Radiance HDR pictures', family: 'image' },
  svg: {
    what: 'SVG drawings',
    family: 'image',
    advice: 'draw them, for example by `rsvg-convert input.svg -o output.png`',
  },
  icon: { what: 'icons and cursors', family: 'image' },
  pnm: { what: 'PNM pictures (PBM, PGM, PPM, PAM, PFM)', family: 'image' },
  tga: { what: 'Targa pictures', family: 'image' },
  dds: { what: 'DDS textures', family: 'image' },
  pcx: { what: 'PCX pictures', family: 'image' },
  sgi: { what: 'SGI pictures', family: 'image' },
  qoi: { what: 'QOI pictures', family: 'image' },
  bpg: { what: 'BPG pictures', family: 'image' },
  metafile: { what: 'Windows metafiles', family: 'image' },
  mng: { what: 'MNG and JNG pictures', family: 'image' },
  dicom: {
    what: 'DICOM pictures',
    family: 'image',
    advice: 'convert them, for example by `dcmj2pnm --write-16-bit-png input.dcm output.png`',
  },
  nifti: { what: 'NIfTI volumes', family: 'image', advice: 'write their slices as PNG or TIFF' },
  fits: { what: 'FITS pictures', family: 'image' },
  microscope: {
    what: 'CZI and ND2 pictures of microscopes',
    family: 'image',
    advice: 'convert them, for example by `bfconvert input output.tif` of Bio-Formats',
  },
  thermal: {
    what: 'FLIR recordings',
    family: 'image',
    advice: 'export them as 16-bit TIFF or radiometric JPEG in the software of the camera',
  },
  real: { what: 'RealMedia videos', family: 'video' },
  mxf: { what: 'MXF videos', family: 'video' },
  rawVideo: {
    what: 'videos without a container (H.264, HEVC, MPEG or IVF streams)',
    family: 'video',
    advice: 'put them into one, for example by `ffmpeg -i input -c copy output.mp4`',
  },
  cutStream: {
    what: 'MPEG-TS videos whose beginning is damaged',
    family: 'video',
    advice: 'repair them, for example by `ffmpeg -i input -c copy output.ts`',
  },
  y4m: { what: 'YUV4MPEG2 videos', family: 'video' },
  dv: { what: 'DV videos', family: 'video' },
  recorder: { what: 'videos of Dahua and Hikvision recorders', family: 'video' },
  flash: { what: 'Flash films', family: 'video' },
  gameVideo: { what: 'Bink, FLIC, AMV and NUT videos', family: 'video' },
  wtv: { what: 'recordings of Windows Media Center', family: 'video' },
  cinema: { what: 'RED videos', family: 'video' },
  playlist: {
    what: 'playlists',
    family: 'video',
    advice: 'fetch the video, for example by `ffmpeg -i playlist.m3u8 -c copy output.mp4`',
  },
  sevenZip: { what: '7z archives', family: 'archive' },
  rar: { what: 'RAR archives', family: 'archive' },
  xz: { what: 'files packed by xz', family: 'archive' },
  bzip2: { what: 'files packed by bzip2', family: 'archive' },
  lz4: { what: 'files packed by LZ4', family: 'archive' },
  lzip: { what: 'files packed by lzip or compress', family: 'archive' },
  zstd: { what: 'files packed by Zstandard', family: 'archive' },
  cab: { what: 'cabinet archives', family: 'archive' },
  unixArchive: { what: 'ar and cpio archives', family: 'archive' },
  splitZip: { what: 'parts of split zip archives', family: 'archive' },
  mp3: { what: 'MP3 sound', family: 'audio' },
  aac: { what: 'AAC sound', family: 'audio' },
  wav: { what: 'WAV sound', family: 'audio' },
  flac: { what: 'FLAC sound', family: 'audio' },
  oggSound: { what: 'Ogg sound', family: 'audio' },
  m4a: { what: 'M4A sound', family: 'audio' },
  amr: { what: 'AMR sound', family: 'audio' },
  midi: { what: 'MIDI music', family: 'audio' },
  aiff: { what: 'AIFF sound', family: 'audio' },
  au: { what: 'AU sound', family: 'audio' },
  office: { what: 'Office documents', family: 'document' },
  openDocument: { what: 'OpenDocument and EPUB documents', family: 'document' },
  rtf: { what: 'RTF documents', family: 'document' },
  postScript: {
    what: 'PostScript documents',
    family: 'document',
    advice: 'convert them, for example by `ps2pdf input.ps output.pdf`',
  },
  djvu: {
    what: 'DjVu documents',
    family: 'document',
    advice: 'convert them, for example by `ddjvu -format=pdf input.djvu output.pdf`',
  },
  html: { what: 'web pages', family: 'document' },
  ply: { what: 'PLY models', family: 'model' },
  pcd: { what: 'PCD point clouds', family: 'model' },
  las: { what: 'LAS and LAZ point clouds', family: 'model' },
  e57: { what: 'E57 point clouds', family: 'model' },
  gltf: { what: 'glTF models', family: 'model' },
  fbx: { what: 'FBX models', family: 'model' },
  stl: { what: 'STL models', family: 'model' },
  obj: { what: 'OBJ models', family: 'model' },
  blend: { what: 'Blender scenes', family: 'model' },
  usd: { what: 'USD scenes', family: 'model' },
  collada: { what: 'COLLADA scenes', family: 'model' },
  hdf5: { what: 'HDF5 files', family: 'data' },
  numpy: { what: 'NumPy arrays', family: 'data' },
  sqlite: { what: 'SQLite databases', family: 'data' },
  parquet: { what: 'Parquet tables', family: 'data' },
  bag: { what: 'recordings of robots (ROS bags, MCAP)', family: 'data' },
} as const satisfies Record<string, ForeignKind>

export type ForeignName = keyof typeof foreignKinds

export const foreignKind = (name: ForeignName): ForeignKind => foreignKinds[name]

/** Returns whether a file of the kind was meant as frames, so that leaving it out would lose some. */
export const isMeantAsFrames = ({ family }: ForeignKind): boolean =>
  family === 'image' || family === 'video' || family === 'archive'

/** Explains a kind: its name, the supported kinds, and how to convert it. */
export function explainForeign({ what, family, advice }: ForeignKind): string {
  const { read, advice: usual } = families[family]
  return `${what} are not read. ${read}; ${advice ?? usual}`
}

/** Lists all supported kinds of media. */
export const explainRead = (): string =>
  `${families.image.read}; documents as PDF; videos as ${readVideos}; archives as ${archives}`
