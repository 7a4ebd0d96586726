import type { AnnotationSet, Shape } from '@reticle/sdk'
import type { Mask } from '../geometry/mask.ts'
import type { Box, Outline } from '../geometry/outline.ts'

/** A part of what is drawn of an object: the joints of a skeleton have colours of their own. */
export interface Piece {
  outline: Outline
  color: string
  isDashed: boolean
}

/** An object of a frame, as it is told and drawn. */
export interface Item {
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
  /** Of shapes. */
  score?: number
  /** Of tracks: whether the position is stored, and not computed. */
  keyframe?: boolean
  isOccluded: boolean
  z_order: number
  attributes: readonly { name: string; value: string }[]
  pieces: readonly Piece[]
  outlines: readonly Outline[]
  mask?: Mask
  box: Box
}
