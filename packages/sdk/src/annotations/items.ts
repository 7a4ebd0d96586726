import type {
  AnnotationSetWrite,
  Shape,
  ShapeWrite,
  Tag,
  TagWrite,
  Track,
  TrackWrite,
} from '../generated/schemas.ts'

/** Object of an annotation set with the name of its list. */
export type SetItem =
  | { kind: 'tags'; object: Tag }
  | { kind: 'shapes'; object: Shape }
  | { kind: 'tracks'; object: Track }

/** Object of an annotation set to be written. */
export type SetItemWrite =
  | { kind: 'tags'; object: TagWrite }
  | { kind: 'shapes'; object: ShapeWrite }
  | { kind: 'tracks'; object: TrackWrite }

/** Change of an object in an annotation set: its id and the changed fields. */
export type SetItemChange =
  | { kind: 'tags'; object: DeepPartial<TagWrite> }
  | { kind: 'shapes'; object: DeepPartial<ShapeWrite> }
  | { kind: 'tracks'; object: DeepPartial<TrackWrite> }

/** Annotation set to be written: whole, or item by item from any iterable. */
export type SetWrite = AnnotationSetWrite | Items<SetItemWrite> | Blob
/** Part of an annotation set; changed and deleted objects need their id. */
export type SetChange = DeepPartial<AnnotationSetWrite> | Items<SetItemChange> | Blob

/** Items of a set. A function is called for each attempt, so the set can be sent again after a failure. */
export type Items<T> = AsyncIterable<T> | Iterable<T> | (() => AsyncIterable<T> | Iterable<T>)

export type DeepPartial<T> = T extends readonly (infer E)[]
  ? DeepPartial<E>[]
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> }
    : T
