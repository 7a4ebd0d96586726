import type { Format } from '@reticle/sdk'
import { api } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { calls, type TransferTarget } from './calls.ts'

/** Queries the formats for a target; `undefined` while loading. */
export function useFormats({ kind, id }: TransferTarget) {
  const formats = useAnswer(api.listFormats, {})
  const target = useAnswer(calls[kind].get, { id })
  const dimension = target.data?.dimension ?? '2d'
  const fitting = (all: readonly Format[]) =>
    all.filter((one) => one.enabled && one.dimension === dimension)
  const isKnown = formats.data && !target.isPending
  return {
    error: formats.error,
    exporters: isKnown && fitting(formats.data.exporters),
    importers: isKnown && fitting(formats.data.importers),
  }
}
