import { cvat } from './cvat/cvat.ts'
import type { Dialect } from './dialect.ts'

/** Dialects by name. */
export const dialects: ReadonlyMap<string, Dialect> = new Map([[cvat.name, cvat]])
