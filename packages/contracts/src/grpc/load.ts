import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadSync, type PackageDefinition } from '@grpc/proto-loader'

/**
 * Loads the services and messages of `proto/`, once per process. Defaults and oneofs are disabled, because the codec of
 * kit interprets absent fields.
 */
export function loadProtos(): PackageDefinition {
  const options = { includeDirs: [protoFolder], keepCase: true, longs: Number }
  all ??= loadSync(readdirSync(protoFolder), options)
  return all
}

let all: PackageDefinition | undefined

/** The path is the same from `src/grpc` and from `dist/grpc`. */
const protoFolder = fileURLToPath(new URL('../../../../proto', import.meta.url))
