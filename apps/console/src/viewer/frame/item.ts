import type { AnnotationSet, Shape } from '@reticle/sdk'
import type { Mask } from '../geometry/mask.ts'
import type { PictureBox, ShapeOutline } from '../geometry/outline.ts'

/** Part of the drawing of an object; joints of a skeleton have different colours. */
export interface ObjectPiece {
  outline: ShapeOutline
  color: string
  isDashed: boolean
}

/** Object of a frame, as it is listed and drawn. */
export interface FrameObject {
  /** `shapes-601` */
  key: string
  kind: keyof Pick<AnnotationSet, 'tags' | 'shapes' | 'tracks'>
  id: number | null
  type: Shape['type'] | 'tag'
  label_id: number
  label: string
  color: string
  group: number
  source: string
  /** Score of a shape. */
  score?: number
  /** For tracks: whether the position is stored rather than interpolated. */
  keyframe?: boolean
  isOccluded: boolean
  z_order: number
  attributes: readonly { name: string; value: string }[]
  pieces: readonly ObjectPiece[]
  outlines: readonly ShapeOutline[]
  mask?: Mask
  box: PictureBox
}
