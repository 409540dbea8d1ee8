#include "trisweep/model/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "trisweep/core/named.hpp"

namespace trisweep::model {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Source, figure, origin)

// JSON has no infinity: a bandwidth without a bound is left out.
void to_json(nlohmann::ordered_json& json, const Link& link) {
  json = {{"latency", link.latency}};
  if (std::isfinite(link.bandwidth)) json["bandwidth"] = link.bandwidth;
  json["send_overhead"] = link.send_overhead;
  json["receive_overhead"] = link.receive_overhead;
}
void from_json(const nlohmann::json& json, Link& link) {
  link.latency = json.value("latency", link.latency);
  link.bandwidth = json.value("bandwidth", link.bandwidth);
  link.send_overhead = json.value("send_overhead", link.send_overhead);
  link.receive_overhead = json.value("receive_overhead", link.receive_overhead);
}

void to_json(nlohmann::ordered_json& json, const Network& network) {
  json = {{"inside", network.inside}, {"between", network.between}};
  if (std::isfinite(network.eager_bytes)) json["eager_bytes"] = network.eager_bytes;
  if (network.look_seconds > 0) json["look_seconds"] = network.look_seconds;
}
void from_json(const nlohmann::json& json, Network& network) {
  network.inside = json.at("inside").get<Link>();
  network.between = json.value("between", network.inside);
  network.eager_bytes = json.value("eager_bytes", network.eager_bytes);
  network.look_seconds = json.value("look_seconds", network.look_seconds);
}

void to_json(nlohmann::ordered_json& json, const GpuNode& node) {
  json = {{"gpus", node.gpus},
          {"gpus_per_bus", node.gpus_per_bus},
          {"to_host", node.to_host},
          {"to_gpu", node.to_gpu},
          {"copy", node.copy},
          {"peer", node.peer},
          {"wide_peer", node.wide_peer},
          {"launch_seconds", node.launch_seconds},
          {"resident_blocks", node.resident_blocks}};
}
void from_json(const nlohmann::json& json, GpuNode& node) {
  node.gpus = json.at("gpus").get<Index>();
  node.gpus_per_bus = json.at("gpus_per_bus").get<Index>();
  node.to_host = json.at("to_host").get<double>();
  node.to_gpu = json.at("to_gpu").get<double>();
  node.copy = json.at("copy").get<double>();
  node.peer = json.at("peer").get<double>();
  node.wide_peer = json.at("wide_peer").get<double>();
  node.launch_seconds = json.at("launch_seconds").get<double>();
  node.resident_blocks = json.at("resident_blocks").get<Index>();
}

void to_json(nlohmann::ordered_json& json, const Machine& m) {
  json = {{"name", m.name},
          {"device", m.device},
          {"ranks_per_node", m.ranks_per_node},
          {"ranks_per_memory", m.ranks_per_memory},
          {"workers", m.workers},
          {"receivers", m.receivers},
          {"grain", m.grain},
          {"worker_bandwidth", m.worker_bandwidth},
          {"memory_bandwidth", m.memory_bandwidth},
          {"worker_flops", m.worker_flops},
          {"dgemm_flops", m.dgemm_flops},
          {"task_seconds", m.task_seconds},
          {"product_seconds", m.product_seconds}};
  if (std::isfinite(m.injection_bandwidth)) json["injection_bandwidth"] = m.injection_bandwidth;
  json["two_sided"] = m.two_sided;
  if (m.one_sided) json["one_sided"] = *m.one_sided;
  if (m.shared) json["shared"] = *m.shared;
  if (m.gpu_node) json["gpu_node"] = *m.gpu_node;
  for (const Source& source : m.sources)
    json["sources"].push_back({{"figure", source.figure}, {"origin", source.origin}});
}
void from_json(const nlohmann::json& json, Machine& m) {
  m.name = json.at("name").get<std::string>();
  m.device = json.value("device", "cpu");
  m.ranks_per_node = json.at("ranks_per_node").get<Index>();
  m.ranks_per_memory = json.value("ranks_per_memory", m.ranks_per_node);
  m.workers = json.value("workers", m.workers);
  m.receivers = std::min(m.workers, json.value("receivers", m.receivers));
  m.grain = json.value("grain", m.grain);
  m.worker_bandwidth = json.at("worker_bandwidth").get<double>();
  m.memory_bandwidth = json.at("memory_bandwidth").get<double>();
  m.worker_flops = json.at("worker_flops").get<double>();
  m.dgemm_flops = json.value("dgemm_flops", m.dgemm_flops);
  m.task_seconds = json.value("task_seconds", m.task_seconds);
  m.product_seconds = json.value("product_seconds", m.product_seconds);
  m.injection_bandwidth = json.value("injection_bandwidth", m.injection_bandwidth);
  m.two_sided = json.at("two_sided").get<Network>();
  if (json.contains("one_sided")) m.one_sided = json.at("one_sided").get<Network>();
  if (json.contains("shared")) m.shared = json.at("shared").get<Network>();
  if (json.contains("gpu_node")) m.gpu_node = json.at("gpu_node").get<GpuNode>();
  if (json.contains("sources")) m.sources = json.at("sources").get<std::vector<Source>>();
}

namespace {

bool positive(double x) {
  return x > 0;
}

bool sensible(const Link& link) {
  return link.latency >= 0 && positive(link.bandwidth) && link.send_overhead >= 0 &&
         link.receive_overhead >= 0;
}

bool sensible(const Network& network) {
  return sensible(network.inside) && sensible(network.between) && network.look_seconds >= 0;
}

bool sensible(const GpuNode& node) {
  return node.gpus > 0 && node.gpus_per_bus > 0 && node.gpus % node.gpus_per_bus == 0 &&
         positive(node.to_host) && positive(node.to_gpu) && positive(node.copy) && positive(node.peer) &&
         positive(node.wide_peer) && node.launch_seconds >= 0 && node.resident_blocks > 0;
}

bool sensible(const Machine& m) {
  return m.ranks_per_node > 0 && m.ranks_per_memory > 0 && m.workers > 0 && m.receivers > 0 &&
         m.receivers <= m.workers && m.grain >= 0 && positive(m.worker_bandwidth) &&
         positive(m.memory_bandwidth) && positive(m.worker_flops) && m.dgemm_flops >= 0 &&
         positive(m.injection_bandwidth) && m.task_seconds >= 0 && m.product_seconds >= 0 &&
         sensible(m.two_sided) && (!m.one_sided || sensible(*m.one_sided)) &&
         (!m.shared || sensible(*m.shared)) && (!m.gpu_node || sensible(*m.gpu_node));
}

const Network* two_sided(const Machine& m, Index /*ranks*/) {
  return &m.two_sided;
}
const Network* one_sided(const Machine& m, Index /*ranks*/) {
  return m.one_sided ? &*m.one_sided : nullptr;
}
const Network* shared(const Machine& m, Index ranks) {
  return m.shared && ranks <= m.ranks_per_node ? &*m.shared : nullptr;
}

constexpr auto network_table = std::to_array<NamedNetwork>({
    {"two-sided", two_sided, [](Machine& m) -> Network& { return m.two_sided; }},
    {"one-sided", one_sided,
     [](Machine& m) -> Network& { return m.one_sided ? *m.one_sided : m.one_sided.emplace(); }},
    {"shared", shared, [](Machine& m) -> Network& { return m.shared ? *m.shared : m.shared.emplace(); }},
});

const Network* network_of(const Machine& m, const std::string& transport, Index ranks) {
  const auto found = std::ranges::find(network_table, transport, &NamedNetwork::name);
  return (found != network_table.end() ? *found : network_table.front()).find(m, ranks);
}

Machine read_machine(const std::string& path) {
  constexpr const char* remedy = "start from one that trisweep machines --json writes";
  std::ifstream file(path);
  if (!file)
    throw Error(ErrorKind::input, fmt::format("cannot read the machine description {}", path), remedy);
  try {
    auto machine = nlohmann::json::parse(file).get<Machine>();
    if (!sensible(machine)) throw InputError(path, 0, "a rate or a count is not positive", remedy);
    return machine;
  } catch (const nlohmann::json::exception& e) {
    throw InputError(path, 0, fmt::format("not a machine description: {}", e.what()), remedy);
  }
}

}  // namespace

std::span<const NamedNetwork> networks() {
  return network_table;
}
std::vector<std::string> described_transports() {
  return names_of(networks());
}

bool Machine::has(const std::string& transport, Index ranks) const {
  return network_of(*this, transport, ranks) != nullptr;
}

const Network& Machine::network(const std::string& transport, Index ranks) const {
  if (const Network* found = network_of(*this, transport, ranks)) return *found;
  throw Error(ErrorKind::usage,
              fmt::format("the machine {} has no {} messages between {} ranks", name, transport, ranks),
              "use two-sided ones, or a description that has them");
}

const GpuNode& Machine::described_gpu_node() const {
  if (gpu_node) return *gpu_node;
  throw Error(ErrorKind::usage, fmt::format("the machine {} has no description of its nodes' GPUs", name),
              "choose tsubame3 or reedbush-h, or a description with gpu_node");
}

Machine find_machine(const std::string& name) {
  if (name.ends_with(".json")) return read_machine(name);
  return find_named(machines(), "machine", name, ", or give a .json file");
}

std::string to_json(const Machine& machine) {
  return nlohmann::ordered_json(machine).dump(2) + "\n";
}

Machine without_communication(Machine machine) {
  machine.two_sided = {};
  if (machine.one_sided) machine.one_sided = Network{};
  if (machine.shared) machine.shared = Network{};
  machine.injection_bandwidth = std::numeric_limits<double>::infinity();
  return machine;
}

Machine without_computation(Machine machine) {
  machine.worker_bandwidth = machine.memory_bandwidth = machine.worker_flops = machine.dgemm_flops =
      std::numeric_limits<double>::infinity();
  machine.task_seconds = machine.product_seconds = 0;
  return machine;
}

}  // namespace trisweep::model
