#include "tool_api/services/counting/dispatch_counting.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "tool_api/registry.hpp"

namespace kreplay::tool_api {
namespace {

using CountingData = rocprofiler_dispatch_counting_service_data_t;
using CountingHeader = rocprofiler_dispatch_counting_service_record_t;

constexpr unsigned kCounterShift = 48;

class CountingRun final : public RunPart {
 public:
  CountingRun(const CountingSetup& setup, std::shared_ptr<CounterConfig> config,
              std::unique_ptr<PmcPackets> packets, const CountingData& data, rocprofiler_user_data_t user)
      : setup_(setup), config_(std::move(config)), packets_(std::move(packets)), data_(data), user_(user) {
    before_[0] = packets_->start();
    after_[0] = packets_->read();  // samples while the counters run, hence before stop
    after_[1] = packets_->stop();
  }
  ~CountingRun() override {
    // Never completed: the packets may still be on their way, and with them what they write.
    if (packets_) (void)packets_.release();
  }

  std::span<const hsa::Packet> before() const override { return before_; }
  std::span<const hsa::Packet> after() const override { return after_; }
  void leave_out() override { config_->give(std::move(packets_)); }

  void completed(const report::PassTime& time) override {
    if (!packets_) return;
    std::vector<std::pair<const CounterDefinition*, Sample>> values;
    const Status read = config_->read(*packets_, values);
    config_->give(std::move(packets_));
    if (!read.ok()) {
      log::error("counters", "dispatch {}: {}; it has no record", data_.dispatch_info.dispatch_id,
                 read.message());
      return;
    }
    if (values.empty()) return;
    std::vector<rocprofiler_counter_record_t> records;
    records.reserve(values.size());
    for (const auto& [counter, sample] : values) {
      rocprofiler_counter_record_t record = {};
      record.id = counter->id << kCounterShift | (sample.position & ((uint64_t{1} << kCounterShift) - 1));
      record.counter_value = sample.value;
      record.dispatch_id = data_.dispatch_info.dispatch_id;
      record.user_data = user_;
      record.agent_id = data_.dispatch_info.agent_id;
      records.push_back(record);
    }
    data_.start_timestamp = time.start_ns;
    data_.end_timestamp = time.end_ns;
    if (setup_.buffer)
      write(records);
    else
      setup_.record(data_, records.data(), records.size(), user_, setup_.record_args);
  }

 private:
  void write(const std::vector<rocprofiler_counter_record_t>& records) {
    CountingHeader header = {};
    header.size = sizeof header;
    header.num_records = records.size();
    header.correlation_id = data_.correlation_id;
    header.start_timestamp = data_.start_timestamp;
    header.end_timestamp = data_.end_timestamp;
    header.dispatch_info = data_.dispatch_info;
    std::vector<BufferItem> items;
    items.push_back({ROCPROFILER_BUFFER_CATEGORY_COUNTERS,
                     ROCPROFILER_COUNTER_RECORD_PROFILE_COUNTING_DISPATCH_HEADER, &header, sizeof header});
    for (const auto& record : records)
      items.push_back(
          {ROCPROFILER_BUFFER_CATEGORY_COUNTERS, ROCPROFILER_COUNTER_RECORD_VALUE, &record, sizeof record});
    setup_.buffer->write(items);
  }

  const CountingSetup& setup_;
  const std::shared_ptr<CounterConfig> config_;
  std::unique_ptr<PmcPackets> packets_;
  CountingData data_;
  const rocprofiler_user_data_t user_;
  hsa::Packet before_[1];
  hsa::Packet after_[2];
};

}  // namespace

bool CountingRoom::counts_on(uint64_t agent) const {
  const std::lock_guard lock(mutex_);
  return agents_.empty() || std::find(agents_.begin(), agents_.end(), agent) != agents_.end();
}

std::unique_ptr<RunPart> CountingRoom::enter(const KernelLaunch& launch) {
  if (!counts_on(launch.info.agent_id.handle)) return nullptr;
  CountingData data = {};
  data.size = sizeof data;
  data.correlation_id = {launch.correlation.internal,
                         external_.top(Registry::id_of(context()).handle, launch.thread_id)};
  data.dispatch_info = launch.info;
  data.dispatch_info.size = offsetof(rocprofiler_kernel_dispatch_info_t, reserved_padding);
  rocprofiler_counter_config_id_t chosen = {0};
  rocprofiler_user_data_t user = {0};
  setup_.dispatch(data, &chosen, &user, setup_.dispatch_args);
  if (chosen.handle == 0) return nullptr;
  const uint64_t dispatch = launch.info.dispatch_id;
  std::shared_ptr<CounterConfig> config = configs_.find(chosen);
  if (!config || config->agent().handle != launch.info.agent_id.handle) {
    log::error("counters", "dispatch {}: tool {} names counter set {}, which {}; it runs uncounted", dispatch,
               name_of(*context().client), chosen.handle, config ? "is another agent's" : "does not exist");
    return nullptr;
  }
  if (launch.memory == nullptr || config->counters().empty()) return nullptr;
  Result<std::unique_ptr<PmcPackets>> packets = config->take(*launch.memory);
  if (!packets) {
    log::error("counters", "dispatch {}: {}; it runs uncounted", dispatch, packets.status().message());
    return nullptr;
  }
  return std::make_unique<CountingRun>(setup_, std::move(config), std::move(*packets), data, user);
}

}  // namespace kreplay::tool_api
