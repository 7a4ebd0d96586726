import type { AnyJson } from '../../support/client.ts'
import type { Random } from '../../support/random.ts'

/** Labels, attributes and frames that generated objects may refer to. */
export interface ObjectReferences {
  idOf: (name: string) => number
  first: number
  last: number
}

const pairs: Record<string, number> = { polygon: 3, polyline: 2, points: 1 }
const plainTypes = ['rectangle', 'ellipse', 'cuboid', 'mask', ...Object.keys(pairs)] as const
const sources = ['manual', 'auto', 'semi-auto', 'file', 'consensus']

export function openObjects(random: Random, { idOf, first, last }: ObjectReferences) {
  const { below, pick, isTrue } = random
  const frame = () => first + below(last - first + 1)
  const number = () => pick([below(64), random.next() * 64, random.double(1e7)])
  const list = <T>(length: number, of: () => T): T[] => Array.from({ length }, of)
  /** Picks some of the fields and omits the others. */
  const some = (members: AnyJson): AnyJson =>
    Object.fromEntries(Object.entries(members).filter(() => isTrue(0.3)))

  function pointsOf(type: string): number[] {
    if (type === 'skeleton') return []
    if (type === 'rectangle') return list(4, number)
    if (type === 'ellipse') return [number(), number(), below(30), below(30)]
    if (type === 'cuboid') return list(16, number)
    if (type !== 'mask') return list(2 * ((pairs[type] ?? 1) + below(4)), number)
    const [left, top, width, height] = [below(40), below(30), 1 + below(9), 1 + below(9)]
    const background = below(width * height)
    const runs = [background, width * height - background]
    return [...runs, left, top, left + width - 1, top + height - 1]
  }
  const common = () =>
    some({
      occluded: isTrue(0.5),
      outside: isTrue(0.2),
      z_order: below(9) - 4,
      rotation: random.next() * 360,
    })
  const named = (label: string) => ({
    ...{ frame: frame(), label_id: idOf(label) },
    ...some({ group: below(5), source: pick(sources) }),
  })
  const values = (given: Record<string, string>) => ({
    attributes: Object.entries(some(given)).map(([name, value]) => ({
      spec_id: idOf(name),
      value,
    })),
  })
  const immutable = () => ({ make: pick(['', 'Fiat', 'é👩']), trim: pick(['red', 'blue']) })
  const mutable = () => ({ color: pick(['red', 'blue']), doors: pick(['2', '5']), parked: 'true' })
  const label = () => pick(['car', 'plain', 'outline'])
  const single = (type: string) => ({
    ...{ type, points: pointsOf(type) },
    ...common(),
    ...some({ score: random.next() }),
  })

  function tag(): AnyJson {
    const name = label()
    return { ...named(name), ...(name === 'car' ? values({ ...immutable(), ...mutable() }) : {}) }
  }

  function shape(): AnyJson {
    if (isTrue(0.15)) return skeleton()
    return { ...tag(), ...single(pick(plainTypes)) }
  }

  function skeleton(): AnyJson {
    const own = named('person')
    const elements = joints().map((name) => ({
      ...{ ...named(name), frame: own.frame },
      ...single('points'),
    }))
    return { ...own, type: 'skeleton', elements }
  }
  const joints = () => pick([['head'], ['foot'], ['head', 'foot']])

  function track(): AnyJson {
    if (isTrue(0.15)) return skeletonTrack()
    const name = label()
    const type = pick(plainTypes)
    const isCar = name === 'car'
    const shapes = keyframes(type, () => (isCar ? values(mutable()) : {}))
    return { ...named(name), ...(isCar ? values(immutable()) : {}), shapes }
  }

  function skeletonTrack(): AnyJson {
    const elements = joints().map((name) => ({ ...named(name), shapes: keyframes('points') }))
    return { ...named('person'), shapes: keyframes('skeleton'), elements }
  }

  /** Builds keyframes, at least one of which is visible. */
  function keyframes(type: string, more: () => AnyJson = () => ({})): AnyJson[] {
    const frames = [...new Set(list(1 + below(4), frame))]
    return frames.map((at, index) => ({
      ...{ type, frame: at, points: pointsOf(type), ...common(), ...more() },
      ...some({ keyframe: isTrue(0.7) }),
      ...(index === 0 && { outside: false, keyframe: true }),
    }))
  }

  const objects = { tags: tag, shapes: shape, tracks: track }

  /** Builds a set of a few objects. */
  function set(): AnyJson {
    const lists = Object.entries(objects).map(([kind, of]) => [kind, list(below(3), of)])
    return Object.fromEntries(lists)
  }

  /** Builds changes of known objects: their ids with some or all fields. */
  function change(known: AnyJson): AnyJson {
    const lists = Object.entries(objects).map(([kind, of]) => {
      const chosen = (known[kind] ?? []).filter(() => isTrue(0.3)).slice(0, 3)
      return [
        kind,
        chosen.map((one: AnyJson) => (isTrue(0.3) ? one : { ...some(of()), id: one.id })),
      ]
    })
    return Object.fromEntries(lists)
  }

  return { set, change }
}
