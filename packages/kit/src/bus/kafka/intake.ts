import type { Consumer } from 'kafkajs'

/** What a member does not want to be given at the moment: anything at all, or one partition that has to rest. */
export interface Intake {
  pause: () => void
  resume: () => void
  isPaused: () => boolean
  /** Takes nothing of a partition for some time. */
  rest: (partition: number, ms: number) => void
  isOpen: (partition: number) => boolean
  /** Tells a consumer that has just joined its group: kafkajs forgets it with each consumer. */
  attach: (consumer: Pick<Consumer, 'pause' | 'resume'>) => void
  close: () => void
}

export function openIntake(topic: string): Intake {
  const resting = new Map<number, NodeJS.Timeout>()
  let paused = false
  let attached: Pick<Consumer, 'pause' | 'resume'> | undefined

  // To kafkajs the pause of one partition lifts that of the topic, so it is always told the whole.
  const tell = () => {
    try {
      attached?.resume([{ topic }])
      if (paused) attached?.pause([{ topic }])
      else if (resting.size > 0) attached?.pause([{ topic, partitions: [...resting.keys()] }])
    } catch {
      attached = undefined // it has left its group; the next one is told when it joins
    }
  }
  const set = (isPaused: boolean) => () => {
    paused = isPaused
    tell()
  }
  return {
    pause: set(true),
    resume: set(false),
    isPaused: () => paused,
    isOpen: (partition) => !paused && !resting.has(partition),
    rest: (partition, ms) => {
      const over = () => {
        resting.delete(partition)
        tell()
      }
      clearTimeout(resting.get(partition))
      resting.set(partition, setTimeout(over, ms).unref())
      tell()
    },
    attach: (consumer) => {
      attached = consumer
      tell()
    },
    close: () => {
      for (const timer of resting.values()) clearTimeout(timer)
      attached = undefined
    },
  }
}
