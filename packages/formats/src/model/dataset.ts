/**
 * The neutral model between formats and the service. Fields are named as in REST; coordinates are pixels from the
 * top-left corner; frames are counted from 0 in their task.
 */

import type { RandomAccess } from '../archive/source.ts'
import type { ArchiveLimits } from '../archive/zip-directory.ts'
import type { ArchiveFile } from '../archive/zip-writer.ts'
import type { ReportWriter } from '../report/conversion-report.ts'
import type { FormatError } from '../report/errors.ts'
import type { FileLabel } from './file-labels.ts'
import type { RecordDetails, TaskDetails } from './task-details.ts'

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

export type DatasetShapeType = (typeof shapeTypes)[number]

/** Kinds of annotations that a format may support. */
export type AnnotationKind = DatasetShapeType | 'tag'

export interface AttributeSpec {
  id: number
  name: string
  mutable: boolean
  /** One of `select radio checkbox number text`. */
  input_type: string
  values: readonly string[]
  default_value: string
}

export interface DatasetLabel {
  id: number
  name: string
  /** `any`, a shape type, `skeleton` or `tag`. */
  type: string
  /** Colour such as `#2080c0`. */
  color?: string
  /** The drawing of a skeleton. */
  svg?: string
  attributes: readonly AttributeSpec[]
  sublabels: readonly DatasetLabel[]
}

export interface AttributeValue {
  spec_id: number
  value: string
}

interface Annotation {
  frame: number
  label_id: number
  /** Group number; 0 means no group. */
  group: number
  source: string
  attributes: readonly AttributeValue[]
}

export type DatasetTag = Annotation

/** A shape on one frame; `points` depends on the type (docs/spec/annotations.md#points). */
export interface DatasetShape extends Annotation {
  type: DatasetShapeType
  points: readonly number[]
  occluded: boolean
  outside: boolean
  z_order: number
  /** Degrees, clockwise, [0, 360). */
  rotation: number
  score: number
  elements: readonly DatasetShape[]
}

export interface DatasetTrackShape {
  type: DatasetShapeType
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

export interface DatasetTrack extends Annotation {
  shapes: readonly DatasetTrackShape[]
  elements: readonly DatasetTrack[]
  /** Last frame that the track may reach, which is the last frame of its job; absent for the last frame of the task. */
  stop_frame?: number
}

// ---- export

/** A shape as displayed on a frame; for a shape of a track, the track and whether it is a keyframe. */
export interface ItemShape extends DatasetShape {
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
  /** Reads the upright image; called when images are saved. */
  image?: () => AsyncIterable<Uint8Array>
  /** Identifier of the image bytes (`ArchiveFile.source`). */
  source?: string
}

/** The annotations of one frame. */
export interface DatasetItem {
  /** Index of the frame in `Subset.frames`. */
  index: number
  shapes: readonly ItemShape[]
  tags: readonly DatasetTag[]
}

export interface Subset {
  name: string
  /** All frames to export, including those without annotations. */
  frames: readonly ItemFrame[]
  /** Yields the frames with annotations, ascending by index; may be read only once. */
  items(): AsyncIterable<DatasetItem>
  /** The same data per task, for formats that keep tracks or state the source of annotations. */
  parts: readonly TaskPart[]
}

/** Data of one task in a subset. */
export interface TaskPart {
  about: TaskDetails
  /** Frames with their paths in the subset. */
  frames: readonly ItemFrame[]
  /**
   * Yields the frames with annotations, ascending by their index in `frames`; includes the visible shapes of tracks
   * if `withTracks` is set.
   */
  items(withTracks: boolean): AsyncIterable<DatasetItem>
  /** Returns the stored tracks, including those that are not visible. */
  tracks(): AsyncIterable<DatasetTrack> | Iterable<DatasetTrack>
  /** Deleted frames of the task or of its ground-truth job; they are not in `frames`. */
  deletedFrames: ReadonlySet<number>
}

export interface Dataset {
  /** Ascending by id. */
  labels: readonly DatasetLabel[]
  subsets: readonly Subset[]
  saveImages: boolean
  about: {
    /** Exported resource; the only part describes a task or job. */
    target: 'project' | 'task' | 'job'
    project?: RecordDetails
    /** Time of the export, ISO 8601. */
    dumped: string
  }
}

// ---- import

export interface TargetFrame {
  frame: number
  path: string
  width: number
  height: number
}

/** Target of an import: all frames of the task, and which of them accept annotations. */
export interface TargetFrames {
  /** Frame n of the task is `frames[n]`. */
  frames: readonly TargetFrame[]
  /** Absolute number of frame 0, and distance between frames in absolute numbers. */
  start_frame: number
  step: number
  is_video: boolean
  /** Returns false for frames of the task outside the job. */
  includes(frame: number): boolean
}

export interface ImportTarget {
  labels: readonly DatasetLabel[]
  frames: TargetFrames
}

export type Imported =
  | { kind: 'tag'; tag: DatasetTag }
  | { kind: 'shape'; shape: DatasetShape }
  | { kind: 'track'; track: DatasetTrack }

/** An image of a dataset: the frame that it becomes, and its member of the archive. */
export interface FileImage {
  /** `/`-separated, unique in its subset. */
  name: string
  member: string
}

/** An image that is part of a member together with other data. */
export interface EmbeddedImage {
  /** Like the name of a `FileImage`. */
  name: string
  content: Uint8Array
}

export interface FileSubset {
  name: string
  /** In the order of frames; not empty unless the images are embedded. */
  images: readonly FileImage[]
  /** Yields the images of a subset whose images are not members; may be read only once. */
  embedded?(): AsyncIterable<EmbeddedImage>
  /** Yields the annotations of these images for frames with their names; may be read only once. */
  importAnnotations(target: ImportTarget, run: ConversionRun): AsyncIterable<Imported>
}

/** An image that a dataset declares, with its size in pixels. */
export interface DeclaredImage {
  /** Path at which the image would be in the archive. */
  member: string
  width: number
  height: number
}

/** A dataset with images. */
export interface FileDataset {
  /** All labels that the file declares, with the attributes that its annotations have. */
  labels: readonly FileLabel[]
  /** Never empty. */
  subsets: readonly FileSubset[]
}

/** Context of a conversion. */
export interface ConversionRun {
  report: ReportWriter
  signal: AbortSignal
  /** Called repeatedly with the completed share, 0 to 1. */
  progress(share: number): void
  /**
   * Only for imports: called for a value that its attribute does not allow, with the error to throw if the service
   * refuses to store it.
   */
  onUnlistedValue?: ((refusal: FormatError) => void) | undefined
  /** Only for imports: whether masks become polygons. When absent, the default of the format's option applies. */
  conv_mask_to_poly?: boolean | undefined
  /** Limits of archives that are read (`archiveLimits`). */
  archiveLimits?: ArchiveLimits
}

// ---- formats

export type Carriage = 'kept' | 'converted' | 'dropped'

/**
 * Features of annotations besides kind and points. Kept `tracks` are imported as tracks, converted ones become shapes
 * of frames; converted `z_order` is the order of shapes; a converted `group` becomes one object.
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
  carries: Readonly<Record<AnnotationKind, Carriage>>
  /** How each feature is exported for kinds that are not dropped. */
  features: Readonly<Record<Feature, Carriage>>
  options: readonly FormatOption[]
  /**
   * Yields the files of an export.
   * @throws {FormatError} when a value cannot be written
   */
  exportDataset(dataset: Dataset, run: ConversionRun): AsyncIterable<ArchiveFile>
}

export interface Importer {
  extensions: readonly string[]
  kinds: readonly AnnotationKind[]
  options: readonly FormatOption[]
  /**
   * Yields the annotations of an upload.
   * @throws {FormatError} when the data cannot be imported; annotations yielded before must be discarded
   */
  importAnnotations(
    source: RandomAccess,
    target: ImportTarget,
    run: ConversionRun,
  ): AsyncIterable<Imported>
  /**
   * Opens labels, subsets and images of an archive for an import into a project; absent for formats without images.
   * @throws {FormatError} when the archive has no images, or an annotated one is missing
   */
  openDataset?(source: RandomAccess, run: ConversionRun): Promise<FileDataset>
  /**
   * Yields the images whose sizes the annotations declare, whether they exist or not; absent for formats without
   * sizes.
   */
  declaredImages?(source: RandomAccess, run: ConversionRun): AsyncIterable<DeclaredImage>
}

export interface Format {
  name: string
  version: string
  aliases: readonly string[]
  dimension: '2d' | '3d'
  /** Whether the format keeps tracks, and attributes. */
  tracks: boolean
  attributes: boolean
  exporter?: Exporter
  importer?: Importer
}
