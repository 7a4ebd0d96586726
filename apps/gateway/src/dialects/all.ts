import type { Dialect } from '../call/dialect.ts'
import { cvat } from './cvat/cvat.ts'

/** Dialects by name. */
export const dialects: ReadonlyMap<string, Dialect> = new Map([[cvat.name, cvat]])
