/**
 * The neutral model between formats and the service (spec/formats.md 3). Fields are spelt as in REST;
 * coordinates are pixels from the top-left corner, frames are counted from 0 in their task.
 */

import type { Described, TaskAbout } from './about.ts'
import type { RandomAccess } from './archive/source.ts'
import type { ArchiveLimits } from './archive/zip-directory.ts'
import type { ArchiveFile } from './archive/zip-writer.ts'
import type { FormatError } from './errors.ts'
import type { FileLabel } from './file-labels.ts'
import type { ReportWriter } from './report.ts'

export const shapeTypes = [
  'rectangle',
  'polygon',
  'polyline',
  'points',
  'ellipse',
  'cuboid',
  'mask',
  'skeleton',
] as const

export type ShapeType = (typeof shapeTypes)[number]

/** What a format may carry. */
export type Kind = ShapeType | 'tag'

export interface AttributeSpec {
  id: number
  name: string
  mutable: boolean
  /** `select radio checkbox number text`. */
  input_type: string
  values: readonly string[]
  default_value: string
}

export interface Label {
  id: number
  name: string
  /** `any`, a shape type, `skeleton` or `tag`. */
  type: string
  /** `#2080c0`. */
  color?: string
  /** The drawing of a skeleton. */
  svg?: string
  attributes: readonly AttributeSpec[]
  sublabels: readonly Label[]
}

export interface AttributeValue {
  spec_id: number
  value: string
}

interface Annotation {
  frame: number
  label_id: number
  /** 0 is no group. */
  group: number
  source: string
  attributes: readonly AttributeValue[]
}

export type Tag = Annotation

/** A shape of one frame (spec/api-annotations.md 1.3); `points` as in its 1.5. */
export interface Shape extends Annotation {
  type: ShapeType
  points: readonly number[]
  occluded: boolean
  outside: boolean
  z_order: number
  /** Degrees, clockwise, [0, 360). */
  rotation: number
  score: number
  elements: readonly Shape[]
}

export interface TrackShape {
  type: ShapeType
  frame: number
  points: readonly number[]
  occluded: boolean
  outside: boolean
  keyframe: boolean
  z_order: number
  rotation: number
  /** Values of mutable attributes. */
  attributes: readonly AttributeValue[]
}

export interface Track extends Annotation {
  shapes: readonly TrackShape[]
  elements: readonly Track[]
  /** The last frame the track may reach; that of its job. Absent: the last frame there is. */
  stop_frame?: number
}

// ---- going out

/** A shape as a frame shows it; shapes of tracks say which and whether it is a keyframe. */
export interface ItemShape extends Shape {
  track_id?: number
  keyframe?: boolean
}

export interface ItemFrame {
  /** Relative to its task. */
  frame: number
  /** `/`-separated, relative to the images of the task; unique in a subset. */
  path: string
  width: number
  height: number
  /** Its bytes, upright; called when images are saved. */
  image?: () => AsyncIterable<Uint8Array>
  /** What those bytes are known by (`ArchiveFile.source`). */
  source?: string
}

/** The annotations of one frame. */
export interface Item {
  /** Of the frame in `Subset.frames`. */
  index: number
  shapes: readonly ItemShape[]
  tags: readonly Tag[]
}

export interface Subset {
  name: string
  /** All frames to be exported, also those without annotations. */
  frames: readonly ItemFrame[]
  /** Frames that have annotations, ascending by index; read once at most. */
  items(): AsyncIterable<Item>
  /** The same a task at a time: for formats that keep tracks, or say where things come from. */
  parts: readonly Part[]
}

/** What a subset has of one task. */
export interface Part {
  about: TaskAbout
  /** As they are called in the subset. */
  frames: readonly ItemFrame[]
  /** Frames that have annotations, ascending by their index in `frames`; of tracks what they show where `withTracks`. */
  items(withTracks: boolean): AsyncIterable<Item>
  /** Tracks as they are stored, also where they are not to be seen. */
  tracks(): AsyncIterable<Track> | Iterable<Track>
  /** Of the task, or of a job of ground truth: they are not among `frames`. */
  deletedFrames: ReadonlySet<number>
}

export interface Dataset {
  /** Ascending by id. */
  labels: readonly Label[]
  subsets: readonly Subset[]
  saveImages: boolean
  about: {
    /** What is exported: the one part says it of a task or job. */
    target: 'project' | 'task' | 'job'
    project?: Described
    /** When: ISO 8601. */
    dumped: string
  }
}

// ---- coming in

export interface TargetFrame {
  frame: number
  path: string
  width: number
  height: number
}

/** Where an import goes: all frames of the task, and which of them take annotations. */
export interface TargetFrames {
  /** Frame n of the task is `frames[n]`. */
  frames: readonly TargetFrame[]
  /** Absolute number of frame 0, and absolute frames from one frame to the next. */
  start_frame: number
  step: number
  is_video: boolean
  /** False for frames of the task that lie outside of the job. */
  includes(frame: number): boolean
}

export interface ImportTarget {
  labels: readonly Label[]
  frames: TargetFrames
}

export type Imported =
  | { kind: 'tag'; tag: Tag }
  | { kind: 'shape'; shape: Shape }
  | { kind: 'track'; track: Track }

/** A picture of a set: the frame that it becomes, and its member of the archive. */
export interface FileImage {
  /** `/`-separated, unique in its subset. */
  name: string
  member: string
}

/** A picture inside of a member, beside other things. */
export interface EmbeddedImage {
  /** As that of a `FileImage`. */
  name: string
  content: Uint8Array
}

export interface FileSubset {
  name: string
  /** In the order of frames; there is one at least, unless they are embedded. */
  images: readonly FileImage[]
  /** The same of a subset whose images are no members: in one walk, read once at most. */
  embedded?(): AsyncIterable<EmbeddedImage>
  /** Annotations of these images, onto frames that have their names; read once at most. */
  importAnnotations(target: ImportTarget, run: Run): AsyncIterable<Imported>
}

/** An image that a set says it has, with its size in pixels. */
export interface DeclaredImage {
  /** Where it would be among the members. */
  member: string
  width: number
  height: number
}

/** A set that comes with its images. */
export interface FileDataset {
  /** All that the file declares, with the attributes that its annotations have. */
  labels: readonly FileLabel[]
  /** There is one at least. */
  subsets: readonly FileSubset[]
}

/** What accompanies a conversion. */
export interface Run {
  report: ReportWriter
  signal: AbortSignal
  /** Told now and then with the share done, 0 to 1. */
  progress(share: number): void
  /**
   * Of imports: called for a value that its attribute does not allow, with the error for the case that the service refuses to store it.
   */
  onUnlistedValue?: ((refusal: FormatError) => void) | undefined
  /** Of imports: whether masks become polygons. Absent: as the format does by itself, which its option tells. */
  conv_mask_to_poly?: boolean | undefined
  /** Caps on an archive that is read (`archiveLimits`). */
  archiveLimits?: ArchiveLimits
}

// ---- formats

export type Carriage = 'kept' | 'converted' | 'dropped'

/**
 * What shapes have beside a kind and points: `tracks` kept come back as tracks, converted ones are shapes of their frames; `z_order`
 * converted is the order in which shapes are written or painted; `group` converted makes one object of the members.
 */
export const features = [
  'tracks',
  'attributes',
  'rotation',
  'occluded',
  'group',
  'z_order',
  'score',
] as const

export type Feature = (typeof features)[number]

export interface FormatOption {
  name: string
  type: 'boolean'
  default: boolean
}

export interface Exporter {
  /** Upper-case file types: `['ZIP']`. */
  extensions: readonly string[]
  carries: Readonly<Record<Kind, Carriage>>
  /** What becomes of these for kinds that are not dropped. */
  features: Readonly<Record<Feature, Carriage>>
  options: readonly FormatOption[]
  /** @throws {FormatError} when a value cannot be written. */
  exportDataset(dataset: Dataset, run: Run): AsyncIterable<ArchiveFile>
}

export interface Importer {
  extensions: readonly string[]
  kinds: readonly Kind[]
  options: readonly FormatOption[]
  /** @throws {FormatError} when the data cannot be imported; what came before then counts for nothing. */
  importAnnotations(source: RandomAccess, target: ImportTarget, run: Run): AsyncIterable<Imported>
  /**
   * Labels, subsets and images of an archive, for an import into a project; absent where the format has no images.
   * @throws {FormatError} when it has no images, or misses one that has annotations.
   */
  openDataset?(source: RandomAccess, run: Run): Promise<FileDataset>
  /** The images of an archive whose sizes its annotations tell, whether they are there or not; absent where they tell none. */
  declaredImages?(source: RandomAccess, run: Run): AsyncIterable<DeclaredImage>
}

export interface Format {
  name: string
  version: string
  aliases: readonly string[]
  dimension: '2d' | '3d'
  /** Whether tracks survive, and attributes. */
  tracks: boolean
  attributes: boolean
  exporter?: Exporter
  importer?: Importer
}
