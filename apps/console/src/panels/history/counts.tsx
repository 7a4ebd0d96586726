import type { AnnotationRevision } from '@reticle/sdk'

const signs = [
  ['created', '+'],
  ['updated', '~'],
  ['deleted', '−'],
] as const

/** Shows the numbers of created, updated and deleted objects: `+3 ~1 −2`. */
export function Counts({ counts }: Pick<AnnotationRevision, 'counts'>) {
  return (
    <>
      {signs.map(
        ([did, sign]) =>
          counts[did] > 0 && (
            <span key={did} className={`did ${did}`}>
              <span aria-hidden="true">{sign}</span>
              {counts[did].toLocaleString()}
              <span className="hidden"> {did}</span>{' '}
            </span>
          ),
      )}
      {signs.every(([did]) => counts[did] === 0) && 'nothing'}
    </>
  )
}
