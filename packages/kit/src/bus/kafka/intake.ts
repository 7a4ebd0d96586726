import type { Consumer } from 'kafkajs'

/** Switch of the partitions that a member currently accepts events from: all, none, or all but those that pause. */
export interface PartitionIntake {
  pause: () => void
  resume: () => void
  isPaused: () => boolean
  /** Pauses a partition for some milliseconds. */
  rest: (partition: number, ms: number) => void
  isOpen: (partition: number) => boolean
  /** Applies the state to a consumer that just joined its group; kafkajs keeps it only as long as the consumer. */
  attach: (consumer: Pick<Consumer, 'pause' | 'resume'>) => void
  close: () => void
}

export function openIntake(topic: string): PartitionIntake {
  const resting = new Map<number, NodeJS.Timeout>()
  let paused = false
  let attached: Pick<Consumer, 'pause' | 'resume'> | undefined

  // In kafkajs, pausing one partition cancels the pause of the topic, so the complete state is always set.
  const applyState = () => {
    try {
      attached?.resume([{ topic }])
      if (paused) attached?.pause([{ topic }])
      else if (resting.size > 0) attached?.pause([{ topic, partitions: [...resting.keys()] }])
    } catch {
      attached = undefined // the consumer left its group; the next one gets the state when it joins
    }
  }
  const set = (isPaused: boolean) => () => {
    paused = isPaused
    applyState()
  }
  return {
    pause: set(true),
    resume: set(false),
    isPaused: () => paused,
    isOpen: (partition) => !paused && !resting.has(partition),
    rest: (partition, ms) => {
      const over = () => {
        resting.delete(partition)
        applyState()
      }
      clearTimeout(resting.get(partition))
      resting.set(partition, setTimeout(over, ms).unref())
      applyState()
    },
    attach: (consumer) => {
      attached = consumer
      applyState()
    },
    close: () => {
      for (const timer of resting.values()) clearTimeout(timer)
      attached = undefined
    },
  }
}
