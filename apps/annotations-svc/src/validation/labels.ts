import type { LabelSet } from '@reticle/contracts/rest/facts'
import type { Attribute, Label, Sublabel } from '@reticle/contracts/rest/labels'

/** Attribute of a label, with the check of its values. */
export interface Spec {
  id: number
  default_value: string
  /** Returns whether a text is a valid value; the default is always valid. */
  accepts: (value: string) => boolean
  isCheckbox: boolean
}

export interface SpecValue {
  spec_id: number
  value: string
}

/** Attributes that are allowed in one place. */
export interface SpecSet {
  byId: ReadonlyMap<number, Spec>
  /** Values of an object that sends none: the default of each attribute, in the order of the label. */
  defaults: SpecValue[]
}

/** Rules of a label for annotations. */
export interface LabelRules {
  id: number
  /** Attributes of tags, shapes and their elements. */
  all: SpecSet
  /** Attributes of tracks and their elements. */
  immutable: SpecSet
  /** Attributes of the shapes of tracks. */
  mutable: SpecSet
  /** Labels of the elements of a skeleton, by id. */
  elements: ReadonlyMap<number, LabelRules>
}

/** Labels of a task by id, without sublabels, which are found under their parents. */
export interface LabelIndex {
  labels_revision: number
  byId: ReadonlyMap<number, LabelRules>
}

export function indexLabels({ labels_revision, labels }: LabelSet): LabelIndex {
  const top = labels.filter((one) => !one.has_parent)
  return { labels_revision, byId: new Map(top.map((one) => [one.id, rulesOf(one)])) }
}

function rulesOf(label: Label | Sublabel): LabelRules {
  const sublabels = 'sublabels' in label ? label.sublabels : []
  const specs = label.attributes
  return {
    id: label.id,
    all: specSet(specs),
    immutable: specSet(specs.filter((one) => !one.mutable)),
    mutable: specSet(specs.filter((one) => one.mutable)),
    elements: new Map(sublabels.map((one) => [one.id, rulesOf(one)])),
  }
}

function specSet(attributes: Attribute[]): SpecSet {
  const defaults = attributes.map(({ id, default_value }) => ({
    spec_id: id,
    value: default_value,
  }))
  Object.freeze(defaults) // every object without values shares this list
  return { byId: new Map(attributes.map((one) => [one.id, specOf(one)])), defaults }
}

function specOf(attribute: Attribute): Spec {
  const { id, default_value, input_type } = attribute
  const accepts = valuesOf(attribute)
  return {
    id,
    default_value,
    accepts: (value) => value === default_value || accepts(value),
    isCheckbox: input_type === 'checkbox',
  }
}

function valuesOf({ input_type, values }: Attribute): (value: string) => boolean {
  switch (input_type) {
    case 'select':
    case 'radio': {
      const options = new Set(values)
      return (value) => options.has(value)
    }
    case 'checkbox':
      return (value) => value === 'true' || value === 'false'
    case 'number': {
      const [least = '', most = ''] = values
      return (value) => isNumberText(value) && isWithin(Number(value), least, most)
    }
    case 'text':
      return () => true
  }
}

const numberText = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
/** Length in characters; the largest number without an exponent has 309 digits. */
const longestNumber = 400
const isNumberText = (value: string) =>
  value.length <= longestNumber && numberText.test(value) && Number.isFinite(Number(value))

/** The third value, the step, is only a hint for editors. */
const isWithin = (value: number, least: string, most: string) =>
  !(isNumberText(least) && value < Number(least)) && !(isNumberText(most) && value > Number(most))
